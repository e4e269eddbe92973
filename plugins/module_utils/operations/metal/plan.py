# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each host of an inventory has to be: the step between the state store and the hosts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from ...addons.context import AddonContext
from ...addons.selection import Addons, addons_of
from ...api.additional import AdditionalObject
from ...api.clouds import METAL, cloud_of
from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...cloud.tasks.keypair import Keypair
from ...model.node.assets import file_assets
from ...model.node.build import labels_of, node_config, node_secrets
from ...model.node.context import NodeContext
from ...model.node.stored_secrets import StoredSecrets
from ...statestore.keyset import Keyset
from ..desired import Desired, desired_state
from ..file_checksums import with_checksums
from ..update import UpdateOptions
from . import preflight
from .api_endpoint import api_server, unclear, virtual_address
from .cluster_dns import without_a_node
from .etcd_members import Member, members_of
from .expectation import expected
from .hosts import Assigned, Host, HostProblems, assign, read_hosts
from .rolling import Batch, batches

_WORKERS = 8


@dataclass(frozen=True)
class HostOptions:
    """Which cluster, and the hosts of the inventory as hosts.read_hosts takes them.

    manifest: in check mode, plan with these manifests instead of the stored ones.
    without: hosts that cannot be reached are left out rather than a problem.
    """

    state_store: str
    name: str
    inventory: Mapping[str, Mapping[str, Any]]
    manifest: str = ""
    without: bool = False


def plan_hosts(options: HostOptions, *, check: bool = False) -> dict[str, Any]:
    """What every host has to be, as plain data:

    hosts: name -> instanceGroup, role, node (its name), new, drain (whether its pods leave before it changes), and what
        the converger takes: config, secrets, facts;
        joins: for a member of etcd that a running cluster has to take in first, etcd, name and peerUrl.
        In check mode a cluster that has no keys yet gives no config: everything about its hosts is new.
    leftOut: hosts that could not be reached. controlPlane: the hosts of the control plane, those that run first.
    addons, retired, nodes: what the module addons takes; name, groups, apiAddresses, dnsDomain: what validate_cluster
        takes.
    apiServer: the URL by which users reach the API.
    rolling: hosts in the order in which they may be changed one after the other, and batches: how many at a time;
        newcomers: hosts that have to become nodes first, and are none of these.
    warnings: sentences.

    It only reads. Raises HostProblems with everything that is wrong with the hosts, KopsError for the rest.
    """
    wanted = UpdateOptions(options.state_store, options.name, manifest=options.manifest)
    desired = desired_state(wanted, dry_run=check)
    cloud = cloud_of(desired.cluster)
    if cloud is not METAL:
        raise KopsError(f"cluster {options.name} is on {cloud.title}: its hosts are instances there")
    hosts = read_hosts(options.inventory)
    left_out = [host for host in hosts if options.without and host.error]
    virtual = virtual_address(desired.cluster, hosts)
    problems = list(unclear(virtual, left_out))
    assigned, members = _assign(desired, [host for host in hosts if host not in left_out], options, problems)
    addons = _addons(desired, assigned)
    homeless = without_a_node(addons.addons, assigned)
    if not any(host.is_done for host in hosts):
        problems += homeless
    if problems:
        raise HostProblems(options.name, list(dict.fromkeys(problems)))
    keysets, additional = _keysets(desired), desired.additional_objects()
    control_plane = [host for group, found in assigned.values() if group.spec.role == "ControlPlane" for host in found]
    entries = {host.name: _entry(group, host, members) for group, found in assigned.values() for host in found}
    rolled = batches(desired.cluster, list(assigned.values()))
    for batch in rolled:
        for host in batch.hosts:
            entries[host.name]["drain"] = batch.drain
    if None not in keysets.values():
        given = {name: keyset for name, keyset in keysets.items() if keyset is not None}
        stored = StoredSecrets(given, _secrets(desired))
        architectures = sorted({host.architecture for _group, found in assigned.values() for host in found})
        context_of = _contexts(desired, stored, additional, control_plane, virtual, architectures)
        for name, more in _configurations(assigned, members, context_of, stored).items():
            entries[name].update(more)
    elif not check:
        raise KopsError(f"cluster {options.name} has no keys yet; run kubeops.kops.update_cluster first")
    return {
        **expected(desired.cluster, assigned, virtual),
        "apiServer": api_server(desired.cluster, [host.address for host in control_plane]),
        "hosts": entries,
        **_in_cluster(desired, assigned, addons),
        "rolling": _rolling(rolled, entries),
        "leftOut": [host.name for host in left_out],
        "warnings": [*addons.warnings, *homeless],
    }


_Members = dict[str, dict[str, Member]]


def _assign(
    desired: Desired, hosts: Sequence[Host], options: HostOptions, problems: list[str]
) -> tuple[Assigned, _Members]:
    """Groups with their hosts, and the members of each etcd cluster by host. problems: gets what is wrong with them."""
    if not hosts:
        problems.append("the inventory has no hosts for it")
    assigned = assign(hosts, desired.groups, problems)
    for group, found in assigned.values():
        for host in found:
            problems += preflight.problems_of(desired.cluster, group, host)
    problems += preflight.problems_of_all(hosts)
    hosts_of = {name: found for name, (_group, found) in assigned.items()}
    members = {
        str(etcd.name): members_of(options.name, etcd, hosts_of, problems)
        for etcd in desired.cluster.spec.etcd_clusters
    }
    return assigned, members


def _keysets(desired: Desired) -> dict[str, Keyset | None]:
    names = [task.name for task in desired.tasks.values() if isinstance(task, Keypair)]
    return desired.store.keysets.find_many(names)


def _entry(group: InstanceGroup, host: Host, members: _Members) -> dict[str, Any]:
    mine = [found[host.name] for found in members.values() if host.name in found]
    return {
        "instanceGroup": str(group.metadata.name),
        "role": str(group.spec.role),
        "node": host.node_name,
        "new": not host.is_done,
        "joins": [
            {"etcd": member.etcd, "name": member.name, "peerUrl": member.peer_url} for member in mine if member.joins
        ],
    }


def _rolling(rolled: Sequence[Batch], entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """entries: the plan's hosts."""
    hosts = [host for batch in rolled for host in batch.hosts]
    newcomers = [host.name for host in hosts if not host.cluster or entries[host.name]["joins"]]
    turns = [[host.name for host in batch.hosts if host.name not in newcomers] for batch in rolled]
    return {
        "hosts": [name for turn in turns for name in turn],
        "batches": [len(turn) for turn in turns if turn],
        "newcomers": newcomers,
    }


def _addons(desired: Desired, assigned: Assigned) -> Addons:
    context = AddonContext(
        desired.cluster,
        desired.groups,
        nodes=sum(len(hosts) for group, hosts in assigned.values() if group.spec.role != "Bastion"),
        features=desired.settings.feature_flags,
        additional=desired.additional_objects(),
    )
    return addons_of(context)


def _in_cluster(desired: Desired, assigned: Assigned, addons: Addons) -> dict[str, Any]:
    """What is done through the API server once it answers."""
    return {
        "addons": [{"name": addon.name, "objects": addon.objects} for addon in addons.addons],
        "retired": addons.retired,
        "nodes": {
            host.node_name: labels_of(desired.cluster, group, desired.settings.feature_flags)
            for group, hosts in assigned.values()
            if group.spec.role != "Bastion"
            for host in hosts
        },
    }


def _contexts(
    desired: Desired,
    stored: StoredSecrets,
    additional: Sequence[AdditionalObject],
    control_plane: Sequence[Host],
    virtual: str,
    architectures: Sequence[str],
) -> Callable[[InstanceGroup, str], NodeContext]:
    """Function: the context of a group and an architecture. What all have in common is read once."""
    addresses = tuple(host.address for host in control_plane)
    common = NodeContext(
        desired.cluster,
        desired.groups[0],
        secret_names=frozenset(stored.secrets),
        additional_objects=additional,
        api_addresses=addresses,
        virtual_address=virtual,
        etcd_addresses={str(etcd.name): addresses for etcd in desired.cluster.spec.etcd_clusters},
        features=desired.settings.feature_flags,
    )
    named = [file for architecture in architectures for file in file_assets(desired.cluster, architecture)]
    files = with_checksums(desired.cluster, named)

    def context_of(group: InstanceGroup, architecture: str) -> NodeContext:
        own = [file for file in files if file.architecture == architecture]
        return replace(common, group=group, architecture=architecture, files=own)

    return context_of


def _configurations(
    assigned: Assigned,
    members: _Members,
    context_of: Callable[[InstanceGroup, str], NodeContext],
    stored: StoredSecrets,
) -> dict[str, dict[str, Any]]:
    """Host -> config, secrets, facts. A config is made once for all hosts of a group and architecture."""
    contexts: dict[tuple[str, str], NodeContext] = {}
    todo: list[tuple[Host, NodeContext]] = []
    for name, (group, found) in assigned.items():
        for host in found:
            key = (name, host.architecture)
            if key not in contexts:
                contexts[key] = context_of(group, host.architecture)
            todo.append((host, contexts[key]))
    configs = {key: node_config(context) for key, context in contexts.items()}

    def configuration(host: Host, context: NodeContext) -> dict[str, Any]:
        facts = {"NODE_NAME": host.node_name, "INTERNAL_IP": host.address}
        for found in members.values():
            if host.name in found:
                facts.update(found[host.name].facts())
        return {
            "config": configs[str(context.group.metadata.name), context.architecture],
            # Keys take the time: they are made in parallel.
            "secrets": node_secrets(context, stored, facts, host.said.get("certificates") or {}),
            "facts": facts,
        }

    with ThreadPoolExecutor(_WORKERS) as pool:
        return dict(zip([host.name for host, _context in todo], pool.map(lambda pair: configuration(*pair), todo)))


def _secrets(desired: Desired) -> dict[str, bytes]:
    found = {name: desired.store.secrets.find(name) for name in desired.store.secrets.list()}
    return {name: value for name, value in found.items() if value is not None}
