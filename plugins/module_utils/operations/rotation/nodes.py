# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that the instances and pods of a cluster in a cloud know.

An instance reads the keys when it boots. Its user data says which there were at least: it was written after them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...cloud.user_data import boot_of
from ...kubernetes.client import KubernetesClient
from ...kubernetes.keys import trust
from ...kubernetes.keys.rewriting import write_again
from ...kubernetes.nodes.eviction import title
from ...statestore.keyset import KUBERNETES_CA, Keyset
from ...statestore.secrets import ENCRYPTION_CONFIG
from ..metal.rotation import SERVICE_ACCOUNT, Pods, keys_hash, unready_pods
from .keys import PROMOTE, Keys, Wish

_OF_PODS = (KUBERNETES_CA, SERVICE_ACCOUNT)
SERVERS = ("ControlPlane", "APIServer")


@dataclass(frozen=True)
class Seen:
    """An instance. outdated: whether it is not as its group would start it now."""

    role: str
    user_data: str = ""
    outdated: bool = False


@dataclass
class Known:
    """What an instance was started with. keysets: name -> ids of key pairs, the primary first; None if not known.

    encryption: the SHA-256 of the encryption configuration; "" if it has none.
    """

    role: str
    keysets: dict[str, list[str]] | None = None
    encryption: str = ""
    outdated: bool = False


def _known(seen: Seen) -> Known:
    boot = boot_of(seen.user_data) or {}
    secrets = boot.get("secrets") or {}
    return Known(seen.role, boot.get("keysets"), str(secrets.get(ENCRYPTION_CONFIG, "")), seen.outdated)


@dataclass
class CloudNodes:
    """See steps.Nodes.

    see: gives the instances as they are. client: gives a client of the API; raises KopsError. all_anew: whether each
    instance must be as its group would start it now.
    """

    see: Callable[[], Mapping[str, Seen]]
    client: Callable[[], KubernetesClient]
    all_anew: bool = False
    known: dict[str, Known] = field(default_factory=dict)
    _pods: Pods | None = None

    def look(self) -> None:
        """Look at the instances, and at the pods once they are asked for. Bastions are no nodes."""
        self.known, self._pods = {name: _known(each) for name, each in sorted(self.see().items())}, None

    @property
    def nodes(self) -> dict[str, Known]:
        """The instances that are nodes."""
        return {name: known for name, known in self.known.items() if known.role != "Bastion"}

    @property
    def pods(self) -> Pods:
        """What the pods know."""
        if self._pods is None:
            client = self.client()
            keys = trust.recorded(client)
            names = [title(pod) for pod in trust.outdated(client, keys)]
            self._pods = Pods(keys.keys, names, trust.token_keys(client))
        return self._pods

    def unready(self, keys: Keys, name: str, step: str, after: Keyset | None) -> list[str]:
        unclear = [each for each, known in self.nodes.items() if known.keysets is None]
        if unclear:
            return [f"it is not known which keys these instances have: {', '.join(unclear)}"]
        if after is None:
            return self._other_encryption(keys)
        primary = after.primary.id if after.primary else ""
        asked = {each: (known.keysets or {}).get(name) for each, known in self.nodes.items()}
        using = {each: ids for each, ids in asked.items() if ids is not None}
        behind = [
            each for each, ids in using.items() if (primary not in ids if step == PROMOTE else ids[:1] != [primary])
        ]
        problems = []
        if behind:
            what = "do not trust it yet" if step == PROMOTE else "may still use an older one"
            problems.append(f"key pair {primary} of keyset {name}: these instances {what}: {', '.join(sorted(behind))}")
        # Before there are instances, there is no API server.
        if name in _OF_PODS and self.nodes:
            problems += unready_pods(keys.keysets, {**keys.keysets, name: after}, self.pods)
        return problems

    def unsettled(self, keys: Keys, wish: Wish) -> list[str]:
        pending = bool(keys.next_steps(wish))
        found = [
            f"instance {each} was started with other key pairs of {', '.join(names)}"
            if names
            else _UNKNOWN.format(each)
            for each, known in self.nodes.items()
            for names in [_differing(known, keys, wish)]
            if names or (known.keysets is None and pending)
        ]
        found += self._other_encryption(keys) if keys.encryption is not None else []
        anew = [each for each, known in self.known.items() if known.outdated and self.all_anew]
        found += [f"instance {each} is not as its group would start it now" for each in anew]
        if self.nodes and (not wish.names or wish.names & set(_OF_PODS)):
            recorded = self.pods.keys
            if recorded != keys_hash(keys.keysets) and (recorded or pending):
                found.append("the control plane does not use the keys in the state store yet")
            found += [f"pod {pod} knows the keys of before" for pod in self.pods.outdated]
        return found

    def write_again(self, keys: Keys) -> None:
        if keys.encryption is not None and self.nodes:
            write_again(self.client(), keys.encryption.resources)

    def servers_behind(self, keys: Keys) -> list[str]:
        """The API servers that were not started with all keys in the store."""
        return [
            each
            for each, known in self.known.items()
            if known.role in SERVERS and (known.keysets is None or _differing(known, keys, Wish()))
        ]

    def _other_encryption(self, keys: Keys) -> list[str]:
        wanted = keys.hash_of_encryption()
        behind = [each for each, known in self.known.items() if known.role in SERVERS and known.encryption != wanted]
        if not behind:
            return []
        return [f"these instances have another encryption configuration: {', '.join(sorted(behind))}"]


class ForeseenNodes(CloudNodes):
    """The same nodes, which are changed in thought only: for check mode."""

    @classmethod
    def of(cls, nodes: CloudNodes) -> ForeseenNodes:
        """A copy of what the nodes know, on which a plan can be tried."""
        return cls(nodes.see, nodes.client, nodes.all_anew, copy.deepcopy(nodes.known), nodes._pods)

    def expect_change(self) -> None:
        """Assume a change of what all groups start."""
        for known in self.known.values():
            known.outdated = True

    def settle(self, keys: Keys) -> None:
        """Assume the state after a rolling update."""
        for known in self.known.values():
            known.outdated = False
            names = keys.keysets if known.keysets is None else known.keysets
            known.keysets = {name: keys.keysets[name].used_ids() for name in names if name in keys.keysets}
            known.encryption = keys.hash_of_encryption()
        if self._pods is not None:
            self._pods = Pods(keys_hash(keys.keysets), (), self._pods.token_keys)

    def write_again(self, keys: Keys) -> None:
        """Nothing is written."""


_UNKNOWN = "it is not known which keys instance {} has"


def _differing(known: Known, keys: Keys, wish: Wish) -> list[str]:
    """The keysets of which an instance was started with other key pairs."""
    return [
        name
        for name, ids in (known.keysets or {}).items()
        if (not wish.names or name in wish.names) and name in keys.keysets and ids != keys.keysets[name].used_ids()
    ]


def hashes_of(store_keys: Keys) -> dict[str, Any]:
    """What pods depend on: hash and CAs of the keys in the store."""
    authority = store_keys.keysets.get(KUBERNETES_CA) or Keyset()
    return {"keys": keys_hash(store_keys.keysets), "authorities": authority.certificate_bundle()}
