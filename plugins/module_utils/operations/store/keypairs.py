# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Key pairs in the state store: added, promoted, distrusted and trusted again, one keyset at a time or all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api.clouds import cloud_of
from ...base.errors import KopsError
from ...statestore import pki
from ...statestore.certificates import read_certificate
from ...statestore.keyset import Keyset, KeysetItem, age
from ...statestore.keysets import is_rotatable
from ...statestore.store import ClusterStore
from ..metal.hosts import read_hosts
from ..metal.rotation import Pods, unready_for_step
from .write import StoreOptions

STATES = ("present", "promoted", "distrusted", "trusted")
ALL = "all"


@dataclass(frozen=True)
class KeypairOptions:
    """The wanted state of a keyset.

    keyset: its name, or "all". state: one of STATES. ids: of items, for the last three states.
    certificate, private_key: PEM of a key pair to add; without them one is made. primary: it signs from now on.
    """

    keyset: str
    state: str = "present"
    ids: Sequence[str] = ()
    certificate: str = ""
    private_key: str = field(default="", repr=False)
    primary: bool = False


@dataclass(frozen=True)
class Nodes:
    """What a step on bare metal is checked against, so that it cuts nothing off.

    hosts: as hosts.read_hosts takes them. pods: the result of pod_trust, nothing if no host has an API server yet.
    unchecked: do the step whatever it cuts off.
    """

    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    pods: Mapping[str, Any] = field(default_factory=dict)
    unchecked: bool = False


@dataclass
class KeypairResult:
    """What was done, or would be: actions are lines for people. keypairs: every item after it, without private keys.

    needs_nodes: whether it must be checked against the nodes.
    """

    changed: bool = False
    actions: list[str] = field(default_factory=list)
    keypairs: list[dict[str, Any]] = field(default_factory=list)
    before: list[dict[str, Any]] = field(default_factory=list)
    needs_nodes: bool = False


def change_keypairs(
    options: StoreOptions,
    cluster_name: str,
    wanted: KeypairOptions,
    *,
    nodes: Nodes | None = None,
    check: bool = False,
) -> KeypairResult:
    """Give keysets a state; a keyset that has it already is not changed. Raises KopsError for what is not allowed.

    nodes: needed where nodes are hosts, for steps that may cut off nodes.
    """
    _check(wanted)
    store = ClusterStore.open(options.state_store, cluster_name)
    has_hosts = cloud_of(store.read_cluster()).has_hosts
    result, _keysets = _checked(store, wanted, has_hosts, nodes or Nodes())
    if check or not result.changed:
        return result
    with store.lease("rotate keys", wait=options.lease_wait, break_existing=options.break_lease) as lease:
        # Another user may have changed the keysets meanwhile.
        result, keysets = _checked(store, wanted, has_hosts, nodes or Nodes())
        for name, keyset in keysets.items():
            lease.ensure()
            store.keysets.store(name, keyset)
    return result


def _checked(
    store: ClusterStore, wanted: KeypairOptions, has_hosts: bool, nodes: Nodes
) -> tuple[KeypairResult, dict[str, Keyset]]:
    """The result, and the keysets that must be written. Raises KopsError if that would cut off nodes."""
    result, keysets = _plan(store, wanted)
    result.needs_nodes = has_hosts and _may_cut_off(store, wanted, keysets)
    if result.needs_nodes and not nodes.unchecked:
        _check_nodes(store, keysets, nodes)
    return result, keysets


def _may_cut_off(store: ClusterStore, wanted: KeypairOptions, keysets: Mapping[str, Keyset]) -> bool:
    """Whether another key pair signs from now on, or one is distrusted. Keysets that did not exist have no users."""
    signs = wanted.state == "promoted" or (wanted.state == "present" and wanted.primary)
    return (signs or wanted.state == "distrusted") and any(store.keysets.find(name) for name in keysets)


def _check_nodes(store: ClusterStore, keysets: Mapping[str, Keyset], nodes: Nodes) -> None:
    if not nodes.hosts:
        raise KopsError(
            f"whether the nodes of cluster {store.name} are ready for this step is not known without its hosts; run"
            " kubeops.kops.keypair with their inventory, or set unchecked if there are none"
        )
    before = store.keysets.list()
    pods = Pods.of(nodes.pods) if nodes.pods else None
    problems = unready_for_step(before, {**before, **keysets}, read_hosts(nodes.hosts), pods)
    if problems:
        raise KopsError(
            f"nothing was changed, because this step would cut off parts of cluster {store.name}:\n"
            + "\n".join(f"- {problem}" for problem in problems)
        )


def read_keypairs(state_store: str, cluster_name: str, keysets: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The key pairs of these keysets, or of all; without private keys. Raises KopsError for an unknown cluster."""
    store = ClusterStore.open(state_store, cluster_name)
    store.read_cluster()
    found = sorted(store.keysets.list().items())
    return [each for name, keyset in found if not keysets or name in keysets for each in describe(name, keyset)]


def _check(wanted: KeypairOptions) -> None:
    if wanted.state not in STATES:
        raise KopsError(f"there is no state {wanted.state!r}; states are {', '.join(STATES)}")
    if wanted.keyset != ALL and not is_rotatable(wanted.keyset):
        raise KopsError(f"the keyset {wanted.keyset!r} cannot be changed; only CAs and service-account can")
    if wanted.keyset == ALL and (wanted.certificate or wanted.private_key or wanted.primary or wanted.ids):
        raise KopsError("with keyset all neither ids, nor certificate, private_key or primary can be given")
    if wanted.state == "trusted" and not wanted.ids:
        raise KopsError("state trusted needs the ids of the key pairs to trust again")
    if wanted.state == "promoted" and len(wanted.ids) > 1:
        raise KopsError("only one key pair can be primary; give one id")


def _plan(store: ClusterStore, wanted: KeypairOptions) -> tuple[KeypairResult, dict[str, Keyset]]:
    """The result, and the keysets that are to be written."""
    if wanted.keyset == ALL:
        keysets = {name: keyset for name, keyset in store.keysets.list().items() if is_rotatable(name)}
    else:
        found = store.keysets.find(wanted.keyset)
        if found is None and wanted.state != "present":
            raise KopsError(f"cluster {store.name} has no keyset {wanted.keyset}")
        keysets = {wanted.keyset: found or Keyset()}
    result, changed = KeypairResult(), {}
    for name, keyset in sorted(keysets.items()):
        result.before += describe(name, keyset)
        try:
            actions = _change(name, keyset, wanted)
        except KopsError as error:
            raise KopsError(f"keyset {name}: {error}") from error
        result.keypairs += describe(name, keyset)
        if actions:
            result.actions += [f"{name}: {action}" for action in actions]
            changed[name] = keyset
    result.changed = bool(changed)
    return result, changed


def _change(name: str, keyset: Keyset, wanted: KeypairOptions) -> list[str]:
    if wanted.state == "present":
        return _add(name, keyset, wanted)
    if wanted.state == "promoted":
        changed = keyset.promote(wanted.ids[0] if wanted.ids else "")
        return [f"promoted {keyset.primary.id}"] if changed and keyset.primary else []
    if wanted.state == "distrusted":
        return [f"distrusted {item_id}" for item_id in keyset.distrust(wanted.ids)]
    return [f"trusted {item_id}" for item_id in keyset.trust(wanted.ids)]


def _add(name: str, keyset: Keyset, wanted: KeypairOptions) -> list[str]:
    if wanted.certificate or wanted.private_key:
        pair = _given_pair(name, wanted)
        known = next((item for item in keyset.items.values() if _is_same(item, pair)), None)
        if known is not None:
            promoted = wanted.primary and keyset.promote(known.id)
            return [f"promoted {known.id}"] if promoted else []
    else:
        newest = keyset.newest_candidate()
        if keyset.primary is not None and newest is not None and age(newest.id) > age(keyset.primary.id):
            # A new key pair waits to be promoted already.
            return [f"promoted {newest.id}"] if wanted.primary and keyset.promote(newest.id) else []
        if keyset.primary is not None and wanted.primary:
            return []
        pair = new_pair(name)
    item = keyset.add(pair, primary=wanted.primary)
    return [f"created {item.id}"]


def _given_pair(name: str, wanted: KeypairOptions) -> pki.KeyPair:
    key = pki.normal_private_key(wanted.private_key) if wanted.private_key else ""
    if not wanted.certificate:
        return new_pair(name, key)
    certificate = pki.normal_certificate(wanted.certificate)
    if not read_certificate(certificate).is_ca:
        raise KopsError("the certificate is not that of a CA")
    if key and not pki.belongs_to(certificate, key):
        raise KopsError("the private key does not belong to the certificate")
    return pki.KeyPair(certificate, key)


def new_pair(name: str, private_key: str = "") -> pki.KeyPair:
    serial = pki.build_serial()
    # The serial in the name tells the CAs of one keyset apart for those who look them up by name.
    subject = pki.Subject(name, serial_number=str(serial))
    return pki.issue(pki.CertificateRequest("ca", subject, serial=serial, private_key=private_key))


def _is_same(item: KeysetItem, pair: pki.KeyPair) -> bool:
    if not item.certificate:
        return False
    if pki.normal_certificate(item.certificate) == pair.certificate:
        return bool(item.private_key) or not pair.private_key
    return bool(item.private_key) and item.private_key == pair.private_key


def describe(name: str, keyset: Keyset) -> list[dict[str, Any]]:
    """The items of a keyset as kops lists key pairs, the oldest first."""
    described = []
    for item in keyset.sorted_items:
        found: dict[str, Any] = {
            "keyset": name,
            "id": item.id,
            "primary": item is keyset.primary,
            "distrusted": item.distrusted,
            "has_private_key": bool(item.private_key),
        }
        if item.certificate:
            facts = read_certificate(item.certificate)
            found.update(
                subject=facts.subject,
                issuer=facts.issuer,
                is_ca=facts.is_ca,
                alternate_names=facts.alternate_names,
                not_before=facts.not_before.strftime("%Y-%m-%dT%H:%M:%SZ"),
                not_after=facts.not_after.strftime("%Y-%m-%dT%H:%M:%SZ"),
                key_length=facts.key_length,
                certificate=item.certificate,
            )
        described.append(found)
    return described
