# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of hosts: a bridge of this machine for each, from which nothing leaves the machine.

Without the firewall rule, a Service address that no rule translates yet would be routed to the machine's gateway, and
might even be answered there.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.lab.commands import PODMAN_LIMITS, run


@dataclass(frozen=True)
class Bridge:
    """A network of podman's. gateway: this machine's own address in it. reserve: an address that no host gets."""

    name: str
    subnet: str
    gateway: str
    reserve: str

    @property
    def anchor(self) -> str:
        """The container that keeps the bridge, which goes with its last one."""
        return f"{self.name}-anchor"

    @functools.cached_property
    def interface(self) -> str:
        """The bridge's interface on this machine. Raises RuntimeError while there is none."""
        return str(json.loads(run("podman", "network", "inspect", self.name))[0]["network_interface"])

    def up(self, image: str) -> None:
        """Make the bridge and its firewall rule. image: of the anchor."""
        if not self.exists():
            run(
                *("podman", "network", "create", "--disable-dns", "--subnet", self.subnet),
                *("--gateway", self.gateway, self.name),
            )
        add_rule(*self._refused())
        if not run("podman", "ps", "--quiet", "--filter", f"name=^{self.anchor}$"):
            run("podman", "rm", "--force", "--ignore", self.anchor)
            run(
                *("podman", "run", "--detach", "--name", self.anchor, "--runtime", "runc", *PODMAN_LIMITS),
                *("--network", self.name, "--ip", self.reserve, image),
            )
            # Else the bridge would take the lowest address of its ports, and another one whenever a host comes or goes.
            run("ip", "link", "set", "dev", self.interface, "address", hardware_address(self.gateway))

    def down(self) -> None:
        """Take everything back that up() made."""
        run("podman", "rm", "--force", "--ignore", "--time", "1", self.anchor)
        if self.exists():
            remove_rule(*self._refused())
            run("podman", "network", "rm", "--force", self.name)

    def exists(self) -> bool:
        """Whether podman knows the network."""
        return self.name in {each["name"] for each in json.loads(run("podman", "network", "ls", "--format", "json"))}

    def _refused(self) -> tuple[str, ...]:
        """Forwarding from this bridge to any other interface."""
        return ("FORWARD", "-i", self.interface, "!", "-o", self.interface, "-j", "REJECT")


def hardware_address(address: str) -> str:
    """MAC address for an address, always the same: else others would use the old one from their ARP caches."""
    return "02:00:" + ":".join(f"{int(part):02x}" for part in address.split("."))


def add_rule(chain: str, *match: str, table: str = "filter") -> None:
    """Put a rule first in a chain of iptables, unless it is there."""
    if not _has(chain, *match, table=table):
        run("iptables", "--table", table, "-I", chain, *match)


def remove_rule(chain: str, *match: str, table: str = "filter") -> None:
    """Remove a rule, however often it is there."""
    while _has(chain, *match, table=table):
        run("iptables", "--table", table, "-D", chain, *match)


def _has(chain: str, *match: str, table: str) -> bool:
    try:
        run("iptables", "--table", table, "-C", chain, *match)
    except RuntimeError:
        return False
    return True
