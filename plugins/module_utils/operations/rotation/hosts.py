# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a rotation on hosts of an inventory. The playbook lets the hosts take them up in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...statestore import pki
from ...statestore.keyset import KUBERNETES_CA, Keyset
from ...statestore.store import ClusterStore
from ..hosts_or_instances import need_hosts
from ..metal.hosts import Host, read_hosts
from ..metal.rotation import SERVICE_ACCOUNT, Pods, keys_hash, unready_for_step
from ..progress import silent
from ..store.write import StoreOptions
from .keys import PROMOTE, Keys, Wish
from .steps import no_write, rotate, take_steps, writer

_NOT_YET = "the API servers of these hosts have another encryption configuration"


@dataclass(frozen=True)
class HostRotation:
    """What to rotate. hosts: as hosts.read_hosts takes them. pods: the result of pod_trust; nothing without an API.

    written_again: the hash of the encryption configuration with which all objects were encrypted again.
    """

    store: StoreOptions
    name: str
    wish: Wish = field(default_factory=Wish)
    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    pods: Mapping[str, Any] = field(default_factory=dict)
    written_again: str = ""


@dataclass
class HostSteps:
    """lines: what was done, or in check mode all that would be. left: what has to take it up, or why nothing goes on.

    rewrite: the resources to be encrypted again before the next step, and the hash of the configuration for that.
    """

    changed: bool = False
    lines: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    rewrite: list[str] = field(default_factory=list)
    encryption: str = ""


def take_host_steps(request: HostRotation, *, check: bool = False) -> HostSteps:
    """Take the steps that are safe now; in check mode say all that would follow. Raises KopsError."""
    store = ClusterStore.open(request.store.state_store, request.name)
    cluster = store.read_cluster()
    need_hosts(cluster)
    keys = Keys.read(store, request.wish, encrypts=bool(cluster.spec.encryption_config))
    nodes = HostNodes(read_hosts(request.hosts), Pods.of(request.pods) if request.pods else None, request.written_again)
    if check:
        foreseen = ForeseenHosts(nodes.hosts, nodes.pods, nodes.written_again)
        result = rotate(keys, request.wish, foreseen, no_write, lambda: foreseen.settle(keys), silent)
        return HostSteps(bool(result.lines), result.lines, result.stopped)
    steps = take_steps(keys, request.wish, nodes, writer(store, request.store))
    left = nodes.unsettled(keys, request.wish)
    left += [each for reasons in steps.blocked.values() for each in reasons]
    made = HostSteps(bool(steps.taken), steps.taken, list(dict.fromkeys(left)), encryption=keys.hash_of_encryption())
    if keys.encryption is not None and nodes.awaits_writing:
        made.rewrite = keys.encryption.resources
    return made


class HostNodes:
    """See steps.Nodes. awaits_writing: whether only that all objects are encrypted again holds up a step."""

    def __init__(self, hosts: Sequence[Host], pods: Pods | None, written_again: str) -> None:
        self.hosts, self.pods, self.written_again = hosts, pods, written_again
        self.awaits_writing = False

    def unready(self, keys: Keys, name: str, step: str, after: Keyset | None) -> list[str]:
        if after is not None:
            return unready_for_step(keys.keysets, {**keys.keysets, name: after}, self.hosts, self.pods)
        behind = self._other_encryption(keys)
        if behind or step == PROMOTE or self.pods is None:
            return behind
        self.awaits_writing = self.written_again != keys.hash_of_encryption()
        return ["all encrypted objects must be written again first"] if self.awaits_writing else []

    def unsettled(self, keys: Keys, wish: Wish) -> list[str]:
        problems = [f"{host.name}: {host.error}" for host in self.hosts if host.error]
        for host in self.hosts:
            names = [name for name in _differing(host, keys) if not wish.names or name in wish.names]
            if host.is_done and names:
                problems.append(f"host {host.name} has other key pairs of {', '.join(names)}")
        problems += self._other_encryption(keys) if keys.encryption is not None else []
        if self.pods is not None and (not wish.names or wish.names & {KUBERNETES_CA, SERVICE_ACCOUNT}):
            if self.pods.keys != keys_hash(keys.keysets):
                problems.append("the control plane does not use the keys in the state store yet")
            problems += [f"pod {pod} knows the keys of before" for pod in self.pods.outdated]
        return problems

    def write_again(self, keys: Keys) -> None:
        """The playbook has done it."""

    def _other_encryption(self, keys: Keys) -> list[str]:
        wanted = keys.hash_of_encryption()
        hashes = {host.name: str(host.said.get("encryption") or "") for host in self.hosts}
        behind = [host.name for host in self.hosts if host.cluster and not host.is_done]
        behind += [name for name, found in hashes.items() if found not in ("", wanted)]
        return [f"{_NOT_YET}: {', '.join(dict.fromkeys(behind))}"] if behind else []


class ForeseenHosts(HostNodes):
    """The same hosts, which are changed in thought only: for check mode."""

    _ids: dict[str, list[str]] | None = None
    _encryption = ""

    def settle(self, keys: Keys) -> None:
        """Assume the state after a rolling update."""
        self._ids = {name: keyset.used_ids() for name, keyset in keys.keysets.items()}
        self._encryption = keys.hash_of_encryption()

    def unready(self, keys: Keys, name: str, step: str, after: Keyset | None) -> list[str]:
        if self._ids is None:
            reasons = super().unready(keys, name, step, after)
            # The playbook would write them again in between.
            return [] if self.awaits_writing else reasons
        if after is None:
            return [] if self._encryption == keys.hash_of_encryption() else [_NOT_YET]
        primary, known = after.primary.id if after.primary else "", self._ids.get(name, [])
        return [] if primary in (known if step == PROMOTE else known[:1]) else [f"{name} is not taken up yet"]

    def unsettled(self, keys: Keys, wish: Wish) -> list[str]:
        if self._ids is None:
            return super().unsettled(keys, wish)
        same = all(self._ids.get(name) == keyset.used_ids() for name, keyset in keys.keysets.items())
        return [] if same and self._encryption == keys.hash_of_encryption() else ["the hosts have to take this up"]


def _differing(host: Host, keys: Keys) -> list[str]:
    """The keysets of which the files of a host say something else than the store."""
    said: Mapping[str, list[str]] = host.said.get("authorities") or {}
    found = []
    for name, texts in said.items():
        keyset = keys.keysets.get(name)
        if keyset is not None:
            wanted = keyset.public_keys() if name == SERVICE_ACCOUNT else keyset.certificate_bundle()
            found += [name] if any(text.strip() != wanted.strip() for text in texts) else []
    # What a host presents has to be of the key pairs that sign now.
    signers = {name: keyset.primary for name, keyset in keys.keysets.items() if keyset.primary}
    for pem in host.present.certificates.values():
        for name, primary in signers.items():
            issued = [item for item in keys.keysets[name].sorted_items if item.certificate]
            if any(pki.is_issued_by(pem, item.certificate) for item in issued if item is not primary):
                found += [] if pki.is_issued_by(pem, primary.certificate) else [name]
    return sorted(set(found))
