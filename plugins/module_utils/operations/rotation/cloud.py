# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotates the keys of a cluster in a cloud, from the controller: store, launch templates, instances, pods."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...kubernetes.client import KubernetesClient
from ...kubernetes.keys import trust
from ...statestore.store import ClusterStore
from ..hosts_or_instances import need_instances
from ..next_steps import ROTATE
from ..ownership import open_own
from ..policy.operation import Affected, violations_of
from ..policy.policy import Policy, denied
from ..policy.rule import OPERATION, Violation
from ..progress import Progress, silent
from ..rolling.cloud import Request, roll
from ..status.validation import CloudExpectation, CloudValidator
from ..store.secrets import store_ssh_keys
from ..store.write import StoreOptions
from ..update.cluster import UpdateOptions, update_cluster
from .keys import Keys, Wish
from .nodes import SERVERS, CloudNodes, ForeseenNodes, Seen, hashes_of
from .steps import Rotation, no_write, rotate, writer


@dataclass(frozen=True)
class CloudRotation:
    """What to rotate, and how. rolling: of which cluster, and how its instances are replaced.

    ssh_public_keys: that instances get from now on, and no others; None leaves them. policy: files with rules.
    """

    rolling: Request
    wish: Wish = field(default_factory=Wish)
    ssh_public_keys: Sequence[str] | None = None
    policy: Sequence[str] = ()


def rotate_in_cloud(request: CloudRotation, *, check: bool = False, tell: Progress = silent) -> Rotation:
    """Rotate until there is nothing left to do. In check mode it says what would be done, and only reads.

    The policy is asked once, before anything is written: what has begun is completed. Raises KopsError for what cannot
    be done or has failed on the way; running it again continues.
    """
    policy = Policy.read(request.policy)
    if policy and not check:
        planned = rotate_in_cloud(request, check=True)
        if denied(planned.violations):
            return planned
        done = rotate_in_cloud(replace(request, policy=()), tell=tell)
        done.violations = planned.violations
        return done
    rolling = request.rolling
    store = ClusterStore.open(rolling.state_store, rolling.name)
    cluster, groups = store.read()
    need_instances(cluster)
    options = StoreOptions(rolling.state_store, rolling.lease_wait, rolling.break_lease)
    keys = Keys.read(store, request.wish, encrypts=bool(cluster.spec.encryption_config))
    if not keys.keysets:
        raise KopsError(f"cluster {rolling.name} has no keys yet; run update_cluster first")
    validator = open_own(CloudExpectation(rolling.state_store, rolling.name, api_server=rolling.api_server))
    fleet = _Cloud(validator, {str(group.metadata.name): str(group.spec.role) for group in groups}, request)
    first = _new_ssh_keys(request, options, check=check)
    for line in first:
        tell(line)
    nodes = CloudNodes(fleet.see, fleet.client, request.ssh_public_keys is not None)
    nodes.look()
    if check:
        foreseen = ForeseenNodes.of(nodes)
        if first:
            foreseen.expect_change()
        result = rotate(keys, request.wish, foreseen, no_write, lambda: foreseen.settle(keys), silent)
    else:
        settle = functools.partial(_settle, request, groups, keys, nodes, fleet, tell)
        result = rotate(keys, request.wish, nodes, writer(store, options), settle, tell)
    result.lines = [*first, *result.lines]
    if check and policy and result.lines:
        result.violations = _violations(request, policy, validator, fleet)
    return result


def _violations(request: CloudRotation, policy: Policy, validator: CloudValidator, fleet: _Cloud) -> list[Violation]:
    """What violates the policy: of the rotation, which replaces all instances, and of the update that begins it."""
    machines = [
        Affected(each.name, group, fleet.roles.get(group, ""), each.by_address, "it gets the new keys")
        for group, found in validator.ask(validator.provider.looking.machines).items()
        for each in found
    ]
    rolling = request.rolling
    update = UpdateOptions(rolling.state_store, rolling.name, policy=request.policy)
    of_update = [each for each in update_cluster(update, check=True).violations if each.about != OPERATION]
    return [*of_update, *violations_of(policy, ROTATE, machines)]


def _new_ssh_keys(request: CloudRotation, options: StoreOptions, *, check: bool) -> list[str]:
    """Store the SSH keys. Returns what was done."""
    if request.ssh_public_keys is None:
        return []
    stored = store_ssh_keys(options, request.rolling.name, request.ssh_public_keys, exclusive=True, check=check)
    return [f"SSH: only the key {', '.join(stored.after)}"] if stored.changed else []


class _Cloud:
    """What is asked of the cloud and of the API. A new certificate is used whenever the keys have changed."""

    def __init__(self, validator: CloudValidator, roles: Mapping[str, str], request: CloudRotation) -> None:
        self.validator, self.roles, self.request = validator, roles, request

    def see(self) -> Mapping[str, Seen]:
        """Instance -> what the cloud says of it."""
        # Whether an SSH key is in launch templates yet.
        stale = self.request.ssh_public_keys is not None and self._lacks_update()
        machines = self.validator.ask(self.validator.provider.looking.machines)
        user_data = self.validator.ask(self.validator.provider.looking.user_data_by_instance)
        return {
            each.name: Seen(self.roles.get(group, ""), user_data.get(each.name, ""), stale or bool(each.outdated))
            for group, found in machines.items()
            for each in found
        }

    def client(self) -> KubernetesClient:
        return self.validator.client()

    def _lacks_update(self) -> bool:
        rolling = self.request.rolling
        return update_cluster(UpdateOptions(rolling.state_store, rolling.name), check=True).changed

    def renew(self) -> None:
        """Trust, and show, what the store has now."""
        self.validator = CloudValidator.open(self.validator.expected)


def _settle(
    request: CloudRotation,
    groups: Sequence[InstanceGroup],
    keys: Keys,
    nodes: CloudNodes,
    fleet: _Cloud,
    tell: Progress,
) -> None:
    """Let all instances and pods take up the keys in the store.

    Pods get the CAs and a token when they start. So it is noted when the last API server uses the present keys, before
    workers are replaced: of the pods that are older, few are left then.
    """
    rolling = request.rolling
    tell("updating the cluster")
    options = UpdateOptions(
        rolling.state_store, rolling.name, lease_wait=rolling.lease_wait, break_lease=rolling.break_lease
    )
    update_cluster(options, progress=tell)
    servers = tuple(str(group.metadata.name) for group in groups if group.spec.role in SERVERS)
    _roll(replace(rolling, names=servers), tell)
    nodes.look()
    behind = nodes.servers_behind(keys)
    if behind:
        raise KopsError(f"these instances do not have the keys in the state store yet: {', '.join(behind)}")
    fleet.renew()
    present = hashes_of(keys)
    if nodes.nodes:
        trust.record(fleet.client(), present["keys"], present["authorities"], wait=rolling.options.times.wait)
    _roll(rolling, tell)
    if nodes.nodes:
        client = fleet.client()
        restarting = trust.RestartOptions(rolling.drain.timeout)
        trust.restart_outdated(client, trust.recorded(client), restarting, tell)
    nodes.look()


def _roll(request: Request, tell: Progress) -> None:
    update = roll(request, tell)
    for warning in update.engine.warnings:
        tell(f"warning: {warning}")
    if update.problems:
        raise KopsError("\n".join(update.problems))
