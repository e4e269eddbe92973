# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's network: a bridge of its own, from which nothing leaves the machine.

Without the firewall rule, a Service address that no rule translates yet would be routed to the machine's gateway, and
might even be answered there.
"""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.tests.lab.commands import PODMAN_LIMITS, run

NAME = "kops-lab"
SUBNET = "10.89.77.0/24"
GATEWAY = "10.89.77.1"
ANCHOR = "kops-lab-anchor"
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
    """MAC address of a host, always the same: else other hosts would use the old one from their ARP caches."""
    return _hardware_address(address(host))


def _hardware_address(of: str) -> str:
    return "02:00:" + ":".join(f"{int(part):02x}" for part in of.split("."))


def _networks() -> set[str]:
    return {network["name"] for network in json.loads(run("podman", "network", "ls", "--format", "json"))}


def _rule() -> tuple[str, ...]:
    """What is refused: forwarding from the lab's bridge to any other interface."""
    interface = bridge()
    return ("FORWARD", "-i", interface, "!", "-o", interface, "-j", "REJECT")


def bridge() -> str:
    """The bridge's interface on this machine."""
    return str(json.loads(run("podman", "network", "inspect", NAME))[0]["network_interface"])


def up(image: str) -> None:
    """Make the bridge and its firewall rule; image is run as the anchor, because a bridge without a container goes."""
    if NAME not in _networks():
        run("podman", "network", "create", "--disable-dns", "--subnet", SUBNET, "--gateway", GATEWAY, NAME)
    if not _exists(_rule()):
        run("iptables", "-I", *_rule())
    if not run("podman", "ps", "--quiet", "--filter", f"name=^{ANCHOR}$"):
        run("podman", "rm", "--force", "--ignore", ANCHOR)
        run(
            "podman", "run", "--detach", "--name", ANCHOR, "--runtime", "runc", *PODMAN_LIMITS, "--network", NAME, image
        )
        # Else the bridge would take the lowest address of its ports, and another one whenever a host comes or goes.
        run("ip", "link", "set", "dev", bridge(), "address", _hardware_address(GATEWAY))


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
