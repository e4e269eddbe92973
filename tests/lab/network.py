# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's network: a bridge of its own, from which nothing leaves the machine.

Without the firewall rule, a Service address that no rule translates yet would be routed to the machine's gateway, and
might even be answered there.
"""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.tests.lab.commands import run

NAME = "kops-lab"
SUBNET = "10.89.77.0/24"
GATEWAY = "10.89.77.1"
ANCHOR = "kops-lab-anchor"
# What hosts are called but for their number -> what is added to that for the last part of their address. Tests have
# hosts of their own, so that they never touch those of `script/lab up`. The API's virtual address lies below all.
KINDS = {"host": 10, "test": 100}
API_ADDRESS = "10.89.77.5"


def address(host: str) -> str:
    """The address of a host ("host1"). Raises KeyError for a name that is none."""
    kind = host.rstrip("0123456789")
    return f"10.89.77.{KINDS[kind] + int(host[len(kind) :])}"


def _networks() -> set[str]:
    return {network["name"] for network in json.loads(run("podman", "network", "ls", "--format", "json"))}


def _rule() -> tuple[str, ...]:
    """What is refused: forwarding from the lab's bridge to any other interface."""
    bridge = json.loads(run("podman", "network", "inspect", NAME))[0]["network_interface"]
    return ("FORWARD", "-i", bridge, "!", "-o", bridge, "-j", "REJECT")


def up(image: str) -> None:
    """Make the bridge and its firewall rule; image is run as the anchor, because a bridge without a container goes."""
    if NAME not in _networks():
        run("podman", "network", "create", "--disable-dns", "--subnet", SUBNET, "--gateway", GATEWAY, NAME)
    if not _exists(_rule()):
        run("iptables", "-I", *_rule())
    if not run("podman", "ps", "--quiet", "--filter", f"name=^{ANCHOR}$"):
        run("podman", "rm", "--force", "--ignore", ANCHOR)
        limits = ("--ulimit", "nofile=20000:20000", "--ulimit", "nproc=30000:30000")
        run("podman", "run", "--detach", "--name", ANCHOR, "--runtime", "runc", *limits, "--network", NAME, image)


def down() -> None:
    """Take everything back that up() made."""
    run("podman", "rm", "--force", "--ignore", "--time", "1", ANCHOR)
    if NAME in _networks():
        rule = _rule()
        while _exists(rule):
            run("iptables", "-D", *rule)
        run("podman", "network", "rm", "--force", NAME)


def _exists(rule: tuple[str, ...]) -> bool:
    chain, *match = rule
    try:
        run("iptables", "-C", chain, *match)
    except RuntimeError:
        return False
    return True
