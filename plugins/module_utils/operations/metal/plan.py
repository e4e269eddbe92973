# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NodeConfigs of the hosts of an inventory: the step between the state store and the hosts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ...addons.context import AddonContext
from ...addons.given import as_given
from ...addons.selection import Addons, addons_of
from ...api.additional import AdditionalObject
from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError, ValidationError
from ...cloud.tasks.keypair import Keypair
from ...kubernetes.validation.addons import workloads_in
from ...model.node.build import labels_of, node_config, node_secrets, taints_of
from ...model.node.context import NodeContext
from ...model.node.files.assets import file_assets
from ...model.node.files.stored_secrets import StoredSecrets
from ...statestore.keyset import KUBERNETES_CA, Keyset
from ..group_choice import choose_groups
from ..hosts_or_instances import need_hosts
from ..status.addon_workloads import APPLIED_BY_HOSTS
from ..update.cluster import UpdateOptions
from ..update.desired import Desired, before_of, desired_state, refuse_changes
from ..update.file_checksums import with_checksums
from . import preflight
from .api_endpoint import api_server, unclear, virtual_address, without_api
from .cluster_dns import without_a_node
from .etcd_members import Member, members_of
from .expectation import expected
from .hosts import Assigned, Host, HostProblems, assign, read_hosts
from .rolling import batches, is_disabled
from .rotation import keys_hash, unready_hosts
from .version_skew import HostSkew, version_skew

_WORKERS = 8


@dataclass(frozen=True)
class HostOptions:
    """Which cluster, and the hosts of the inventory as hosts.read_hosts takes them.

    manifest: in check mode, plan with these manifests instead of the stored ones.
    addon_checksums: as in UpdateOptions; after an update the state store remembers them.
    interrupt: all hosts are changed at once, so it does not matter whether they know the same keys meanwhile.
    allow_network_change: in check mode, plan with another network than that of the last update.
    without: hosts that cannot be reached are left out rather than a problem.
    compare: hosts are only compared with what they have to be. What is wrong with one of them keeps only this one away;
    it keeps its place among the others, so that they have to be the same as with it.
    instance_groups: names of the groups that a rolling update is about; all of them if none is given.
    ignore_kubelet_version_skew: workers do not wait for newer API servers.
    """

    state_store: str
    name: str
    inventory: Mapping[str, Mapping[str, Any]]
    manifest: str = ""
    interrupt: bool = False
    allow_network_change: bool = False
    without: bool = False
    compare: bool = False
    ignore_kubelet_version_skew: bool = False
    instance_groups: Sequence[str] = ()
    addon_checksums: Mapping[str, str] = field(default_factory=dict)


def plan_hosts(options: HostOptions, *, check: bool = False) -> dict[str, Any]:
    """What every host has to be, as plain data:

    hosts: name -> instanceGroup, role, node (its name), new, drain (whether its pods leave before it changes), and what
        the converger takes: config, secrets, facts;
        members: etcd and name of each of its members of etcd; joins: for a member that a running cluster has to take in
        first, etcd, name and peerUrl.
        In check mode a cluster that has no keys yet gives no config: everything about its hosts is new.
        ahead: whether its programs would be newer than an API server (version_skew.py), if it were changed now.
    leftOut: hosts that could not be reached. problems: hosts that cannot be compared -> what is wrong.
    controlPlane: the hosts of the control plane, those that run first.
    workloads: of the addons, as validate_cluster takes them. leftOutNodes: names of the nodes of leftOut.
    addons, retired, nodes, taints: what the module addons takes; name, groups, apiAddresses, dnsDomain: what
        validate_cluster takes.
    trust: what pod_trust takes: hash and authorities of the keys that pods depend on; both "" if there are no keys yet.
    apiServer: the URL by which users reach the API.
    rolling: batches: lists of hosts that may be changed together, in their order; newcomers: hosts that have to become
        nodes first, and are none of these; disabled: hosts whose groups rolling updates leave alone, none of these;
        problems: why the rolling update must not begin.
    warnings: sentences.

    It only reads. Raises HostProblems with everything that is wrong with the hosts, KopsError for the rest.
    """
    wanted = UpdateOptions(
        options.state_store, options.name, manifest=options.manifest, addon_checksums=options.addon_checksums
    )
    desired = desired_state(wanted, dry_run=check)
    need_hosts(desired.cluster)
    if not (check and options.allow_network_change):
        refuse_changes(desired, before_of(desired), allow_network_change=False)
    hosts = read_hosts(options.inventory)
    left_out = [host for host in hosts if options.without and host.error]
    virtual = virtual_address(desired.cluster, hosts)
    problems = list(unclear(virtual, left_out))
    considered = [host for host in hosts if host not in left_out]
    everybody, members, wrong = _assign(desired, considered, options, problems)
    problems += without_api(desired.cluster, everybody)
    addons = wanted_addons(
        desired, sum(len(found) for group, found in everybody.values() if group.spec.role != "Bastion")
    )
    homeless = without_a_node(addons.addons, everybody)
    if not any(host.is_done for host in hosts):
        problems += homeless
    skew = version_skew(desired.cluster, everybody, ignored=options.ignore_kubelet_version_skew)
    problems += skew.forbidden
    if problems:
        told = list(dict.fromkeys(problems))
        # Nobody wants to change them.
        raise KopsError("; ".join(told)) if options.compare else HostProblems(options.name, told)
    keysets, additional = _keysets(desired), desired.stored.additional_objects()
    control_plane = [host for group, found in everybody.values() if group.spec.role == "ControlPlane" for host in found]
    assigned = {
        name: (group, [host for host in found if host.name not in wrong]) for name, (group, found) in everybody.items()
    }
    entries = {host.name: _entry(group, host, members) for group, found in assigned.values() for host in found}
    joining = [host.name for group, found in assigned.values() for host in found if skew.joins_as_running(group, host)]
    for group, found in assigned.values():
        for host in found:
            entries[host.name]["ahead"] = skew.is_ahead(group, host)
    if None not in keysets.values():
        given = {name: keyset for name, keyset in keysets.items() if keyset is not None}
        cut_off = [] if options.interrupt else unready_hosts(given, hosts)
        if cut_off:
            raise KopsError("; ".join(cut_off)) if options.compare else HostProblems(options.name, cut_off)
        stored = StoredSecrets(given, _secrets(desired))
        architectures = sorted({host.architecture for _group, found in assigned.values() for host in found})
        contexts = [_contexts(desired, stored, additional, control_plane, virtual, architectures)]
        if joining:
            older = desired_state(wanted, dry_run=check, store=desired.store, kubernetes_version=skew.running)
            contexts.append(_contexts(older, stored, additional, control_plane, virtual, architectures))

        def context_of(group: str, host: Host) -> NodeContext:
            return contexts[host.name in joining](group, host.architecture)

        for name, more in _configurations(assigned, members, context_of, stored).items():
            entries[name].update(more)
    elif not check:
        raise KopsError(f"cluster {options.name} has no keys yet; run kubeops.kops.update_cluster first")
    return {
        **expected(desired.cluster, everybody, virtual),
        "trust": _trust(keysets),
        # The same in every run, whichever control plane is down: it is in kubeconfigs.
        "apiServer": api_server(desired.cluster, [host.address for host in control_plane]),
        "hosts": entries,
        **_in_cluster(desired, everybody, addons),
        "rolling": _rolling(desired, assigned, entries, skew, options.instance_groups),
        "leftOut": [host.name for host in left_out],
        "leftOutNodes": [host.node_name for host in left_out],
        "problems": wrong,
        "warnings": [
            *homeless,
            *_joining(joining, skew),
            *(warning for host in considered for warning in preflight.warnings_of(host)),
        ],
    }


_Members = dict[str, dict[str, Member]]


def _assign(
    desired: Desired, hosts: Sequence[Host], options: HostOptions, problems: list[str]
) -> tuple[Assigned, _Members, dict[str, str]]:
    """Groups with their hosts, the members of each etcd cluster by host, and hosts that cannot be compared, with why.

    problems: gets all else that is wrong with them.
    """
    if not hosts:
        problems.append("the inventory has no hosts for it")
    assigned, wrong = assign(hosts, desired.groups, problems), {}
    for group, found in assigned.values():
        for host in found:
            told = list(preflight.problems_of(desired.cluster, group, host))
            if not options.compare:
                problems += told
            elif told:
                wrong[host.name] = "; ".join(each.removeprefix(f"{host.name}: ") for each in told)
                problems += _unplaced(group, host)
    problems += preflight.problems_of_all(hosts)
    hosts_of = {name: found for name, (_group, found) in assigned.items()}
    members = {
        str(etcd.name): members_of(options.name, etcd, hosts_of, problems)
        for etcd in desired.cluster.spec.etcd_clusters
    }
    return assigned, members, wrong


def _unplaced(group: InstanceGroup, host: Host) -> Iterator[str]:
    """A sentence about a host without an address, if the NodeConfigs of others have it."""
    if group.spec.role == "ControlPlane" and not host.address:
        yield f"{host.name}: {host.error or 'has no address'}; set its variable kops_address, which others have to know"


def _keysets(desired: Desired) -> dict[str, Keyset | None]:
    names = [task.name for task in desired.tasks.values() if isinstance(task, Keypair)]
    return desired.store.keysets.find_many(names)


def _trust(keysets: Mapping[str, Keyset | None]) -> dict[str, str]:
    authority = keysets.get(KUBERNETES_CA)
    if authority is None:
        return {"hash": "", "authorities": ""}
    return {"hash": keys_hash(keysets), "authorities": authority.certificate_bundle()}


def _entry(group: InstanceGroup, host: Host, members: _Members) -> dict[str, Any]:
    mine = [found[host.name] for found in members.values() if host.name in found]
    return {
        "instanceGroup": str(group.metadata.name),
        "role": str(group.spec.role),
        "node": host.node_name,
        "new": not host.is_done,
        "drain": group.spec.role != "Bastion",
        "members": [{"etcd": member.etcd, "name": member.name} for member in mine if not member.joins],
        "joins": [
            {"etcd": member.etcd, "name": member.name, "peerUrl": member.peer_url} for member in mine if member.joins
        ],
    }


def _rolling(
    desired: Desired,
    assigned: Assigned,
    entries: Mapping[str, Mapping[str, Any]],
    skew: HostSkew,
    names: Sequence[str],
) -> dict[str, Any]:
    """entries: the plan's hosts. names: of the instance groups that are to be rolled."""
    cluster, chosen = desired.cluster, choose_groups(desired.groups, names)
    groups = [pair for name, pair in assigned.items() if chosen is None or name in chosen]
    newcomers = [
        host.name
        for _group, hosts in assigned.values()
        for host in hosts
        if not host.cluster or entries[host.name]["joins"]
    ]
    turns = [[host.name for host in turn if host.name not in newcomers] for turn in batches(cluster, groups)]
    ahead = [name for name, entry in entries.items() if entry["ahead"]]
    return {
        "problems": skew.problems(ahead, [name for turn in turns for name in turn]),
        "batches": [turn for turn in turns if turn],
        "newcomers": newcomers,
        "disabled": [host.name for group, hosts in groups if is_disabled(cluster, group) for host in hosts],
    }


def _joining(names: Sequence[str], skew: HostSkew) -> list[str]:
    if not names:
        return []
    return [
        f"{', '.join(names)}: joins with Kubernetes {skew.running}, because API servers still run it"
        f" ({', '.join(skew.outdated)}); kubeops.kops.rolling_update brings {skew.wanted} to all nodes"
    ]


def wanted_addons(desired: Desired, nodes: int) -> Addons:
    """The addons of a cluster with so many nodes."""
    context = AddonContext(
        desired.cluster,
        desired.groups,
        nodes=nodes,
        features=desired.settings.feature_flags,
        additional=desired.stored.additional_objects(),
        cilium_keys=desired.store.secrets.cilium_keys() if desired.cluster.spec.networking.cilium else {},
    )
    return addons_of(context, desired.stored.read_upstream)


def _in_cluster(desired: Desired, assigned: Assigned, addons: Addons) -> dict[str, Any]:
    """What is done through the API server once it answers."""
    nodes = {
        host.node_name: group for group, hosts in assigned.values() if group.spec.role != "Bastion" for host in hosts
    }
    features = desired.settings.feature_flags
    return {
        "addons": [as_given(addon) for addon in addons.addons],
        "retired": addons.retired,
        "workloads": [
            asdict(each)
            for addon in addons.addons
            for each in workloads_in(addon.name, addon.objects, APPLIED_BY_HOSTS)
        ],
        "nodes": {name: labels_of(desired.cluster, group, features) for name, group in nodes.items()},
        "taints": {name: taints_of(group) for name, group in nodes.items()},
    }


def _contexts(
    desired: Desired,
    stored: StoredSecrets,
    additional: Sequence[AdditionalObject],
    control_plane: Sequence[Host],
    virtual: str,
    architectures: Sequence[str],
) -> Callable[[str, str], NodeContext]:
    """Function: the context of a group (its name) and an architecture. What all have in common is read once."""
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

    groups = {str(group.metadata.name): group for group in desired.groups}

    @functools.cache
    def context_of(group: str, architecture: str) -> NodeContext:
        own = [file for file in files if file.architecture == architecture]
        return replace(common, group=groups[group], architecture=architecture, files=own)

    return context_of


def _configurations(
    assigned: Assigned,
    members: _Members,
    context_of: Callable[[str, Host], NodeContext],
    stored: StoredSecrets,
) -> dict[str, dict[str, Any]]:
    """Host -> config, secrets, facts. A config is made once for all hosts with the same context."""
    todo = [(host, context_of(name, host)) for name, (_group, found) in assigned.items() for host in found]
    configs = _node_configs({id(context): context for _host, context in todo})

    def configuration(host: Host, context: NodeContext) -> dict[str, Any]:
        facts = {"NODE_NAME": host.node_name, "INTERNAL_IP": host.address}
        for found in members.values():
            if host.name in found:
                facts.update(found[host.name].facts())
        return {
            "config": configs[id(context)],
            # Keys take the time: they are made in parallel.
            "secrets": node_secrets(context, stored, facts, host.present),
            "facts": facts,
        }

    with ThreadPoolExecutor(_WORKERS) as pool:
        return dict(zip([host.name for host, _context in todo], pool.map(lambda pair: configuration(*pair), todo)))


def _node_configs(contexts: Mapping[int, NodeContext]) -> dict[int, dict[str, Any]]:
    """The NodeConfig of each. Raises ValidationError for all that hosts would refuse of them."""
    configs, refused = {}, {}
    for key, context in contexts.items():
        try:
            configs[key] = node_config(context)
        except ValidationError as error:
            refused.update(dict.fromkeys(error.errors))
    if refused:
        raise ValidationError(refused, f"cluster {next(iter(contexts.values())).name}")
    return configs


def _secrets(desired: Desired) -> dict[str, bytes]:
    found = {name: desired.store.secrets.find(name) for name in desired.store.secrets.list()}
    return {name: value for name, value in found.items() if value is not None}
