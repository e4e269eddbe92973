# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network of the cloud's hosts: one bridge for all subnets of the VPC that kops makes by default.

Its routers and firewalls are not imitated: every host reaches every other one, whatever security groups say.
"""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.lab import bridges
from ansible_collections.kubeops.kops.tests.lab.commands import run

# The VPC of kops' default. AWS keeps the first four addresses of a subnet: the router's, its resolver's, a reserve.
BRIDGE = bridges.Bridge("kops-cloud", "172.20.0.0/16", "172.20.0.1", "172.20.0.3")
RESOLVER = "172.20.0.2"
METADATA, METADATA_PORT = "169.254.169.254", 8169


def up(image: str) -> None:
    """Make the bridge, the address of the resolver, and the way to the metadata service. image: of the anchor."""
    BRIDGE.up(image)
    add_address(RESOLVER)
    bridges.add_rule(*_to_metadata(), table="nat")


def down() -> None:
    """Take everything back that up() made; addresses go with the bridge."""
    if BRIDGE.exists():
        bridges.remove_rule(*_to_metadata(), table="nat")
    BRIDGE.down()


def addresses() -> set[str]:
    """The addresses that this machine has in the network."""
    words = run("ip", "-4", "-oneline", "address", "show", "dev", BRIDGE.interface).split()
    return {words[index + 1].partition("/")[0] for index, word in enumerate(words) if word == "inet"}


def add_address(address: str) -> None:
    """Give this machine an address in the network, unless it has it."""
    if address not in addresses():
        run("ip", "address", "add", f"{address}/32", "dev", BRIDGE.interface)


def remove_address(address: str) -> None:
    """Take an address away."""
    run("ip", "address", "delete", f"{address}/32", "dev", BRIDGE.interface)


def _to_metadata() -> tuple[str, ...]:
    to = ("-d", METADATA, "-p", "tcp", "--dport", "80")
    return (
        *("PREROUTING", "-i", BRIDGE.interface, *to),
        *("-j", "DNAT", "--to-destination", f"{BRIDGE.gateway}:{METADATA_PORT}"),
    )
