# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets and SSH public keys in the state store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...api.clouds import cloud_of
from ...base.errors import KopsError
from ...statestore.secrets import check_secret
from ...statestore.ssh_keys import SSHKeyError, fingerprint, problem_for
from ...statestore.store import ClusterStore
from .write import StoreOptions


@dataclass
class NamesResult:
    """What was done, or would be. before, after: the names, or fingerprints, of all there are."""

    changed: bool
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def store_secret(
    options: StoreOptions, cluster_name: str, name: str, value: bytes, *, replace: bool = True, check: bool = False
) -> NamesResult:
    """Store a secret. replace: also where there is another value. Raises SecretError for what is none of its kind."""
    check_secret(name, value)
    store = _open(options, cluster_name)
    present, before = store.secrets.find(name), store.secrets.list()
    if present == value or (present is not None and not replace):
        return NamesResult(False, before, before)
    if not check:
        with store.lease("store secret", wait=options.lease_wait, break_existing=options.break_lease) as lease:
            lease.ensure()
            store.secrets.store(name, value)
    return NamesResult(True, before, sorted({*before, name}))


def list_secrets(state_store: str, cluster_name: str) -> list[str]:
    """The names of the secrets of a cluster. Raises KopsError for an unknown cluster."""
    return sorted(_open(StoreOptions(state_store), cluster_name).secrets.list())


def remove_secret(options: StoreOptions, cluster_name: str, name: str, *, check: bool = False) -> NamesResult:
    """Remove a secret; one that is not there is no change."""
    store = _open(options, cluster_name)
    before = store.secrets.list()
    if name not in before:
        return NamesResult(False, before, before)
    if not check:
        with store.lease("remove secret", wait=options.lease_wait, break_existing=options.break_lease) as lease:
            lease.ensure()
            store.secrets.remove(name)
    return NamesResult(True, before, [each for each in before if each != name])


def store_ssh_keys(
    options: StoreOptions,
    cluster_name: str,
    public_keys: Sequence[str],
    *,
    exclusive: bool = False,
    check: bool = False,
) -> NamesResult:
    """Store SSH public keys. exclusive: and remove all others, which on AWS there may not be."""
    wanted = {fingerprint(key): key for key in public_keys}
    if exclusive and not wanted:
        raise KopsError("exclusive needs at least one public key; use state absent to remove all")
    store = _open(options, cluster_name)
    cloud = cloud_of(store.read_cluster())
    problems = [message for key in public_keys if (message := problem_for(cloud, key))]
    if problems:
        raise SSHKeyError("; ".join(dict.fromkeys(problems)))
    before = sorted(map(fingerprint, store.ssh_public_keys.list()))
    after = sorted(wanted if exclusive else {*before, *wanted})
    return _change_ssh_keys(store, options, before, after, wanted, check)


def list_ssh_keys(state_store: str, cluster_name: str) -> dict[str, str]:
    """The SSH public keys of a cluster by their MD5 fingerprints. Raises KopsError for an unknown cluster."""
    keys = _open(StoreOptions(state_store), cluster_name).ssh_public_keys.list()
    return dict(sorted((fingerprint(key), key) for key in keys))


def remove_ssh_keys(
    options: StoreOptions, cluster_name: str, public_keys: Sequence[str] = (), *, check: bool = False
) -> NamesResult:
    """Remove SSH public keys, given as keys or as MD5 fingerprints; all of them if none is given."""
    going = {key.removeprefix("MD5:") if is_fingerprint(key) else fingerprint(key) for key in public_keys}
    store = _open(options, cluster_name)
    before = sorted(map(fingerprint, store.ssh_public_keys.list()))
    after = [each for each in before if going and each not in going]
    return _change_ssh_keys(store, options, before, after, {}, check)


def is_fingerprint(text: str) -> bool:
    """Whether a text has the form of an MD5 fingerprint."""
    return " " not in text.strip() and text.removeprefix("MD5:").count(":") == 15


def _change_ssh_keys(
    store: ClusterStore,
    options: StoreOptions,
    before: list[str],
    after: list[str],
    keys: dict[str, str],
    check: bool,
) -> NamesResult:
    if before != after and not check:
        with store.lease("change SSH keys", wait=options.lease_wait, break_existing=options.break_lease) as lease:
            for identity in sorted(set(after) - set(before)):
                lease.ensure()
                store.ssh_public_keys.add(keys[identity])
            for identity in sorted(set(before) - set(after)):
                lease.ensure()
                store.ssh_public_keys.remove(identity)
    return NamesResult(before != after, before, after)


def _open(options: StoreOptions, cluster_name: str) -> ClusterStore:
    store = ClusterStore.open(options.state_store, cluster_name)
    store.read_cluster()
    return store
