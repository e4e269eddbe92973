# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network of the lab's hosts, and the address of each."""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.lab import bridges

BRIDGE = bridges.Bridge("kops-lab", "10.89.77.0/24", "10.89.77.1", "10.89.77.2")
NAME, GATEWAY = BRIDGE.name, BRIDGE.gateway
# What hosts are called but for their number -> what is added to that for the last part of their address. Tests and
# Molecule have their own hosts, so that they never touch those of `script/lab up`. The API's virtual address lies
# below all.
KINDS = {"host": 10, "test": 100, "molecule": 200}
API_ADDRESS = "10.89.77.5"


def kind_of(host: str) -> str:
    """What a host ("host1") is called but for its number."""
    return host.rstrip("0123456789")


def address(host: str) -> str:
    """The address of a host ("host1"). Raises KeyError for a name that is none."""
    kind = kind_of(host)
    return f"10.89.77.{KINDS[kind] + int(host[len(kind) :])}"


def hardware_address(host: str) -> str:
    """MAC address of a host, always the same."""
    return bridges.hardware_address(address(host))
