# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers that the cluster's cloud controller has made for Services, which nobody deletes any more.

They have no labels. A firewall rule names the cluster's instances by their network tags, and a forwarding rule by its
name; what that leads to is the cluster's as well (listFirewallRules in pkg/resources/gce/gce.go of kops).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..cloud import GCECloud
from .listing import BACKEND, CHECK, FIREWALL, GLOBAL_CHECK, GROUP, HTTP_CHECK, INSTANCE, POOL, RULE, Found
from .owned import has_own_tags

_OF_RULE, _OF_NODES, _NODES_END = "k8s-fw-", "k8s-", "-node-http-hc"
# What such a rule leads to, and what that uses.
_BEHIND = (POOL, BACKEND, HTTP_CHECK, CHECK, GLOBAL_CHECK, GROUP)
# What the controller calls what several of its rules use.
_SHARED = "k8s-"


def of_services(cloud: GCECloud, everything: Mapping[str, Found], ours: Mapping[str, Found]) -> dict[str, Found]:
    """Path -> firewall rule, forwarding rule and what is behind it, of each Service. ours: what is known already."""
    found: dict[str, Found] = {}
    rules = {each.name: each for each in everything.values() if each.kind.name == RULE}
    for each in everything.values():
        if each.kind.name != FIREWALL or each.path in ours or not has_own_tags(cloud, each):
            continue
        if each.name.startswith(_OF_NODES) and each.name.endswith(_NODES_END):
            found[each.path] = each
        rule = rules.get(each.name.removeprefix(_OF_RULE)) if each.name.startswith(_OF_RULE) else None
        behind = _behind(everything, rule) if rule else {}
        if rule is not None and _serves_ours(behind, ours):
            found.update({each.path: each, rule.path: rule, **behind})
    return found


def _behind(everything: Mapping[str, Found], rule: Found) -> dict[str, Found]:
    """All that a forwarding rule leads to, directly or not, and that bears its name or one of the controller's."""
    found: dict[str, Found] = {}
    waiting = [rule]
    while waiting:
        for path in waiting.pop().references():
            each = everything.get(path)
            if each is None or path in found or each.kind.name not in _BEHIND:
                continue
            if each.name == rule.name or each.name.startswith(_SHARED):
                found[path] = each
                waiting.append(each)
    return found


def _serves_ours(behind: Mapping[str, Found], ours: Mapping[str, Found]) -> bool:
    """Whether the instances of its target pool, if it has one, are the cluster's."""
    members = {
        url.partition("/projects/")[2]
        for each in behind.values()
        if each.kind.name == POOL
        for url in each.described.get("instances") or ()
    }
    instances = {path for path, each in ours.items() if each.kind.name == INSTANCE}
    return bool(behind) and members <= instances
