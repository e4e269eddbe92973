# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the hosts and pods of a cluster are ready for the next step of a key rotation.

A key pair must be trusted everywhere before it signs, and nothing may use a key pair any more when it is distrusted.
Otherwise parts of the cluster lose each other, and no rolling update can mend it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.tokens import key_id
from ...statestore import pki
from ...statestore.keyset import KUBERNETES_CA, Keyset, KeysetItem
from .hosts import Host

SERVICE_ACCOUNT = "service-account"
_LAST_STEP = "run kubeops.kops.update_cluster and kubeops.kops.rolling_update to complete the last step"
# The keys in the store are already ahead of the hosts.
SKIPPED = (
    "undo the step with kubeops.kops.keypair (state promoted or trusted, with the id of the earlier key pair), or run"
    " kubeops.kops.hosts with kops_interrupt=true, which changes all hosts at once"
)


@dataclass(frozen=True)
class Pods:
    """Result of the module pod_trust.

    outdated: names of pods. token_keys: Secret -> id of its token's key. nodes: names of nodes that pods may run on.
    """

    keys: str = ""
    outdated: Sequence[str] = ()
    token_keys: Mapping[str, str] = field(default_factory=dict)
    nodes: Sequence[str] = ()

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Pods:
        """Read the result of the module."""
        outdated = [pod["name"] for pod in result.get("outdated") or ()]
        nodes = result.get("nodes") or ()
        return cls(str(result.get("recorded") or ""), outdated, result.get("token_keys") or {}, nodes)


def keys_hash(keysets: Mapping[str, Keyset | None]) -> str:
    """The hash of the keys that pods depend on: the CAs of the API server, and the keys of service account tokens."""
    authority, signer = keysets.get(KUBERNETES_CA) or Keyset(), keysets.get(SERVICE_ACCOUNT) or Keyset()
    parts = [authority.certificate_bundle(), signer.public_keys(), signer.primary.id if signer.primary else ""]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def unready_hosts(keysets: Mapping[str, Keyset], hosts: Iterable[Host], remedy: str = SKIPPED) -> list[str]:
    """Why these keysets would cut hosts off; one sentence for each key pair, which ends with the remedy.

    Hosts that are no nodes yet, or on which a run was not finished, do not count.
    """
    nodes = [host for host in hosts if host.is_done]
    strangers = [host for host in nodes if _is_stranger(keysets.get(KUBERNETES_CA) or Keyset(), host)]
    if strangers:
        return [
            "these hosts are nodes of another cluster of the same name, because they trust none of the CAs in this"
            f" state store: {', '.join(host.name for host in strangers)}; use the state store from which they were set"
            " up, or run kubeops.kops.delete_cluster with it first"
        ]
    return [f"{problem}; {remedy}" for problem in (*_untrusting(keysets, nodes), *_presenting(keysets, nodes))]


def _is_stranger(authority: Keyset, host: Host) -> bool:
    """Whether a host has other CAs, and none that the keyset ever had."""
    texts, certificates = _trusts(KUBERNETES_CA, host), [item.certificate.strip() for item in authority.sorted_items]
    return bool(texts) and not any(certificate in text for certificate in certificates for text in texts)


def unready_for_step(
    before: Mapping[str, Keyset], after: Mapping[str, Keyset], hosts: Sequence[Host], pods: Pods | None
) -> list[str]:
    """Why a step would cut hosts or pods off; a sentence each.

    before, after: the rotatable keysets in the store, and as the step would leave them. pods: None if no host has an
    API server yet.
    """
    problems = [f"{host.name}: {host.error}; its trusted key pairs are not known" for host in hosts if host.error]
    interrupted = [host.name for host in hosts if host.cluster and not host.is_done]
    if interrupted:
        problems.append(f"the last run on these hosts was not finished: {', '.join(interrupted)}; {_LAST_STEP}")
    problems += unready_hosts(after, hosts, _LAST_STEP)
    others = sorted(set(pods.nodes if pods is not None else ()) - {host.node_name for host in hosts})
    if others:
        problems.append(
            "these nodes are none of the hosts of this run, so it is not known which key pairs they trust:"
            f" {', '.join(others)}; name their hosts as well (inventory, kops_hosts), or delete nodes that have none"
        )
    if pods is not None and _concerns_pods(before, after):
        problems += unready_pods(before, after, pods)
    return problems


def _concerns_pods(before: Mapping[str, Keyset], after: Mapping[str, Keyset]) -> bool:
    """Whether a step changes the keys that pods depend on, or the one that signs the certificates of API servers."""
    signers = [keysets[KUBERNETES_CA].primary if KUBERNETES_CA in keysets else None for keysets in (before, after)]
    return keys_hash(before) != keys_hash(after) or (
        None not in signers and len({each.id for each in signers if each is not None}) > 1
    )


def _untrusting(keysets: Mapping[str, Keyset], nodes: Sequence[Host]) -> Iterable[str]:
    for name, keyset in sorted(keysets.items()):
        if keyset.primary is None:
            continue
        wanted = _trusted_as(name, keyset.primary)
        strangers = [host.name for host in nodes if any(wanted not in text for text in _trusts(name, host))]
        if strangers:
            yield (
                f"key pair {keyset.primary.id} of keyset {name} must be trusted before it signs, but these hosts do not"
                f" trust it yet: {', '.join(strangers)}"
            )


def _trusted_as(name: str, item: KeysetItem) -> str:
    """The text that a file of trusted certificates or public keys contains if it trusts the key pair."""
    return (pki.public_key_pem(item.certificate) if name == SERVICE_ACCOUNT else item.certificate).strip()


def _trusts(name: str, host: Host) -> list[str]:
    """Certificates and public keys that a host trusts for a keyset, each as one text."""
    authorities: Mapping[str, list[str]] = host.said.get("authorities") or {}
    of_kubeconfigs = (
        [each["authorities"] for each in host.present.kubeconfigs.values()] if name == KUBERNETES_CA else []
    )
    return [*authorities.get(name, ()), *of_kubeconfigs]


def _presenting(keysets: Mapping[str, Keyset], nodes: Sequence[Host]) -> Iterable[str]:
    for name, keyset in sorted(keysets.items()):
        trusted = [item.certificate for item in keyset.trusted if item.certificate]
        for item in keyset.sorted_items:
            if item.distrusted is None or not item.certificate:
                continue
            users = [host.name for host in nodes if _presents(name, item, trusted, host)]
            if users:
                yield (
                    f"key pair {item.id} of keyset {name} must not be in use when it is distrusted, but these hosts"
                    f" still have {'pods with tokens' if name == SERVICE_ACCOUNT else 'certificates'} of it:"
                    f" {', '.join(users)}"
                )


def _presents(name: str, item: KeysetItem, trusted: Sequence[str], host: Host) -> bool:
    if name == SERVICE_ACCOUNT:
        return _key_id(item) in (host.said.get("tokenKeys") or ())
    return any(
        pki.is_issued_by(pem, item.certificate) and not any(pki.is_issued_by(pem, other) for other in trusted)
        for pem in host.present.certificates.values()
    )


def unready_pods(before: Mapping[str, Keyset], after: Mapping[str, Keyset], pods: Pods) -> Iterable[str]:
    """Why a step would cut pods off, or what else has a token; a sentence each."""
    if pods.keys != keys_hash(before):
        yield f"the control plane does not use the keys in the state store yet; {_LAST_STEP}"
    elif pods.outdated:
        yield (
            f"these pods started before the last step, so they do not know its keys: {', '.join(pods.outdated)};"
            " run kubeops.kops.rolling_update, which restarts them, and delete those without a controller"
        )
    signer = after.get(SERVICE_ACCOUNT) or Keyset()
    distrusted = {_key_id(item): item.id for item in signer.sorted_items if item.distrusted and item.certificate}
    for key, item_id in distrusted.items():
        secrets = sorted(secret for secret, signed_by in pods.token_keys.items() if signed_by == key)
        if secrets:
            yield (
                f"key pair {item_id} of keyset {SERVICE_ACCOUNT} has signed the tokens in these Secrets:"
                f" {', '.join(secrets)}; delete the Secrets and create them again"
            )


def _key_id(item: KeysetItem) -> str:
    return key_id(pki.public_key_pem(item.certificate))
