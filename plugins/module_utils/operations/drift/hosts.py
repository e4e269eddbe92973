# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift of the hosts of a bare-metal cluster: what they have said that an update would change on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...engine.plan_data import entry_of_change
from .addons import BY_INVENTORY
from .finding import DIFFERENT, HOSTS, MISSING, WHAT, Drift, Finding, Unseen

_ROLL = "kubeops.kops.rolling_update with the inventory of the hosts (-i hosts.yml)"
_INTERRUPT = "kubeops.kops.hosts with the inventory of the hosts (-i hosts.yml) and kops_interrupt=true"
_NOT_ASKED = Unseen("the hosts", "ansible-playbook -i hosts.yml kubeops.kops.drift looks at them", failed=False)
_NO_NODE = "this host of the inventory has not become a node"


@dataclass(frozen=True)
class Compared:
    """Results of the comparison of hosts with their NodeConfigs.

    hosts: name -> node (whether it is one), changes and deferred_changes (as node_converge returns them in check mode),
    rolled (whether rolling updates change it), problem (why it could not be compared, "" if it was).
    problem: why none of them could be.
    """

    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    problem: str = ""


def look_at_hosts(compared: Compared | None, drift: Drift) -> None:
    """Add the differences of hosts. compared: None if there is no inventory."""
    if compared is None:
        drift.unseen.append(_NOT_ASKED)
        return
    if compared.problem:
        drift.unseen.append(Unseen("the hosts", compared.problem))
    for name, said in sorted(compared.hosts.items()):
        if said.get("problem"):
            drift.unseen.append(Unseen(f"host {name}", str(said["problem"])))
        else:
            drift.found += _of_host(name, said)


def _of_host(name: str, said: Mapping[str, Any]) -> Iterator[Finding]:
    if not said.get("node", True):
        yield Finding(HOSTS, MISSING, "Node", name, reason=_NO_NODE, mend=BY_INVENTORY, host=name)
        return
    later = _ROLL if said.get("rolled", True) else _INTERRUPT
    told = [(change, BY_INVENTORY) for change in said.get("changes") or ()]
    told += [(change, later) for change in said.get("deferred_changes") or ()]
    items = {change["item"] for change, _mend in told}
    for change, mend in told:
        if not _only_follows(change, items):
            yield _of_change(name, change, mend)


def _only_follows(change: Mapping[str, Any], items: set[str]) -> bool:
    """Whether a unit is as it should be, and would only be restarted for items that are not."""
    after = change["after"]
    if not isinstance(after, Mapping) or list(after) != ["restarted"]:
        return False
    return items.issuperset(str(after["restarted"]).removeprefix("for ").split(", "))


def _of_change(host: str, change: Mapping[str, Any], mend: str) -> Finding:
    """Fields are told of what differs only; what is there or not as a whole, its name says."""
    entry = entry_of_change(change)
    what = WHAT[entry["action"]]
    before, after = (entry["before"], entry["after"]) if what == DIFFERENT else ({}, {})
    return Finding(HOSTS, what, entry["kind"], f"{host}: {entry['name']}", before, after, mend=mend, host=host)
