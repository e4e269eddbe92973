# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All instances of a cluster, each compared with what its group would start now (GetCloudGroups of kops).

Two numbers say what a managed group wants: its target size, and how many of its instances were detached, each of which
has one more beside it until it ends (detached.py).
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from ..instances import DETACHED, SERVING, STRAY, CloudInstance, InstancesOfGroup
from ..user_data import changes_of
from .cloud import GCECloud
from .detached import are_replaced, is_marked
from .identifiers import last_component
from .instances import (
    GROUP_NAME,
    LIVING,
    MADE_BY,
    MADE_FROM,
    Described,
    group_of,
    metadata_of,
    owned_instances,
    owned_managers,
    owned_templates,
    templates_of,
)
from .user_data import user_data_of

# Labels that name roles, and the tags by which other clouds' instances name them.
_ROLE_LABEL, _ROLE_TAG = "k8s-io-role-", "k8s.io/role/"
# Properties of templates whose differences have names of their own, or that nothing follows from.
_METADATA, _SAID_APART = "metadata", ("metadata", "description")


def instances_of_groups(cloud: GCECloud, *, why: bool = False) -> dict[str, InstancesOfGroup]:
    """Instance group -> its instances in all zones, without those that are being ended.

    Three calls and their further pages, however many groups there are. why: also in what older instances differ, for
    which no further call is needed.
    """
    for read in (owned_templates, owned_managers, owned_instances):
        cloud.forget(read)
    # Before the groups: an instance that is started in between must not look as if it had left its group.
    living = [each for each in cloud.once(owned_instances) if each.get("status") in LIVING]
    templates, managers = cloud.once(owned_templates), cloud.once(owned_managers)
    members: dict[str, list[Described]] = {name: [] for name in managers}
    found: dict[str, list[CloudInstance]] = {group_of(each, templates): [] for each in managers.values()}
    wanted = dict.fromkeys(found, 0)
    for instance in living:
        made_by = last_component(metadata_of(instance).get(MADE_BY, ""))
        if made_by in members:
            members[made_by].append(instance)
        else:
            name = metadata_of(instance).get(GROUP_NAME, "")
            found.setdefault(name, []).append(_machine(instance, within="", state=STRAY))
    for name, manager in managers.items():
        group = group_of(manager, templates)
        detached = {each["name"] for each in members[name] if is_marked(each)}
        wanted[group] += int(manager.get("targetSize") or 0)
        if are_replaced(manager, members[name]):
            wanted[group] -= len(detached)
        else:
            # A run broke off before the group started others: they are in its service still.
            detached = set()
        for instance in members[name]:
            state = DETACHED if instance["name"] in detached else SERVING
            outdated = _why_outdated(instance, manager, templates, why)
            found[group].append(
                _machine(
                    instance,
                    within=name,
                    state=state,
                    outdated=outdated,
                    healthy=instance.get("status") in ("PROVISIONING", "STAGING", "RUNNING"),
                )
            )
    return {
        name: InstancesOfGroup(wanted.get(name, 0), machines, keeps_number=name in wanted)
        for name, machines in found.items()
    }


def running_by_group(cloud: GCECloud) -> dict[str, list[str]]:
    """Managed group -> its instances, as they were read last."""
    found: dict[str, list[str]] = {name: [] for name in cloud.once(owned_managers)}
    for instance in cloud.once(owned_instances):
        manager = last_component(metadata_of(instance).get(MADE_BY, ""))
        if manager in found and instance.get("status") in LIVING:
            found[manager].append(instance["name"])
    return {name: sorted(instances) for name, instances in found.items()}


def _why_outdated(instance: Described, manager: Described, templates: Mapping[str, Described], why: bool) -> str:
    """By the template that an instance was made from: templates never change, so a change is another template."""
    made_from = last_component(metadata_of(instance).get(MADE_FROM, ""))
    now = last_component(str(manager.get("instanceTemplate") or "")) or min(templates_of(manager), default="")
    if made_from == now:
        return ""
    what = ""
    if why and made_from in templates and now in templates:
        what = ", ".join(_changes(templates[made_from]["properties"], templates[now]["properties"]))
    return f"it is of template {made_from or 'unknown'}, and its group has {now} now" + (what and f": {what}")


def _changes(before: Described, after: Described) -> list[str]:
    """In the words of plans, as far as they have any."""
    found = changes_of(user_data_of(before), user_data_of(after))
    keys = sorted(key for key in {**before, **after} if key not in _SAID_APART and before.get(key) != after.get(key))
    words = ["".join(f" {letter.lower()}" if letter.isupper() else letter for letter in key) for key in keys]
    found += [f"{'other' if word.endswith('s') else 'another'} {word}" for word in words]
    return found or (["other metadata"] if before.get(_METADATA) != after.get(_METADATA) else [])


def _machine(
    instance: Described, *, within: str, state: str, outdated: str = "", healthy: bool | None = None
) -> CloudInstance:
    interfaces = instance.get("networkInterfaces") or ()
    access = [each for interface in interfaces for each in interface.get("accessConfigs") or ()]
    ipv6 = [
        address["externalIpv6"]
        for interface in interfaces
        for address in interface.get("ipv6AccessConfigs") or ()
        if address.get("externalIpv6")
    ]
    own_ipv6 = [each["ipv6Address"] for each in interfaces if each.get("ipv6Address")]
    labels = dict(instance.get("labels") or {})
    roles = {_ROLE_TAG + key[len(_ROLE_LABEL) :]: "1" for key in labels if key.startswith(_ROLE_LABEL)}
    return CloudInstance(
        instance["name"],
        within,
        state,
        outdated=outdated,
        launched=_moment(instance.get("creationTimestamp")),
        private_addresses=tuple([each["networkIP"] for each in interfaces if each.get("networkIP")] + own_ipv6),
        public_addresses=tuple([each["natIP"] for each in access if each.get("natIP")] + ipv6),
        zone=last_component(str(instance.get("zone") or "")),
        machine_type=last_component(str(instance.get("machineType") or "")),
        power=str(instance.get("status") or "").lower(),
        healthy=healthy,
        tags={**labels, **roles},
    )


def _moment(text: object) -> datetime.datetime | None:
    """Google's moments are in RFC 3339, as 2026-01-31T09:00:00.000-08:00."""
    return datetime.datetime.fromisoformat(str(text).replace("Z", "+00:00")) if text else None
