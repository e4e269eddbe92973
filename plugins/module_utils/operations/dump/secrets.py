# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every secret value that the state store has of a cluster, so that a dump can be searched for it."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...addons.given import LOCATION
from ...addons.index import DIRECTORY
from ...api.cluster import Cluster
from ...api.yaml.read import read_documents, read_plain
from ...base.errors import KopsError
from ...dump.known import SHORTEST, Secret
from ...statestore.keysets import BUNDLE
from ...statestore.store import ClusterStore

# What the settings of a secret say beside its values; a text of these keys is no secret.
_HARMLESS_KEYS = ("apiVersion", "kind", "name", "resources", "username", "email")
# A word of a text that may be a key; others, such as names of algorithms, have other characters.
_SHORTEST_WORD = 8


def secrets_of(store: ClusterStore, cluster: Cluster) -> Iterator[Secret]:
    """Private keys, secrets, and the values of Secrets among the addons. Raises KopsError if one cannot be read.

    A dump without one of them could not be searched for it. No secret is what names the cluster or its network, which
    a Secret may hold as well (at Hetzner, as in kops): it is in names of files.
    """
    yield from _keys(store)
    for name in store.secrets.list():
        yield from _values(f"secret {name}", store.secrets.find(name) or b"")
    names = {str(name).encode() for name in (cluster.metadata.name, cluster.spec.networking.network_id) if name}
    of_users = (secret for found in store.additional_objects() for secret in _of_object(found.data))
    for secret in itertools.chain(_of_addons(store), of_users):
        if secret.value not in names:
            yield secret


def _keys(store: ClusterStore) -> Iterator[Secret]:
    for name, keyset in store.keysets.list().items():
        for item in keyset.sorted_items:
            if item.private_key:
                yield Secret(f"private key {item.id} of keyset {name}", item.private_key.encode())
    # kops before 1.22 kept each key in a file of its own.
    for file in store.keysets.root.join("private").list_tree():
        if not file.name.endswith(f"/{BUNDLE}"):
            yield Secret(f"private key {file.name}", file.path.read())


def _of_addons(store: ClusterStore) -> Iterator[Secret]:
    directory = store.path.join(DIRECTORY)
    files = {file.name: file.path for file in directory.list_tree()}
    own = LOCATION.partition("/")[2]
    if own in files:
        for addon in json.loads(files[own].read()).get("addons") or ():
            for obj in addon.get("objects") or ():
                yield from _of_object(obj)
        return
    for name, path in files.items():
        if name.endswith((".yaml", ".yml")):
            for document in read_documents(path.read(), str(path), []):
                yield from _of_object(document.data)


def _of_object(obj: Any) -> Iterator[Secret]:
    if not isinstance(obj, Mapping) or obj.get("kind") != "Secret":
        return
    name = f"Secret {(obj.get('metadata') or {}).get('name', '')} of an addon"
    for value in (obj.get("data") or {}).values():
        yield from _values(name, base64.b64decode(str(value)))
    for value in (obj.get("stringData") or {}).values():
        yield from _values(name, str(value).encode())


def _values(name: str, value: bytes) -> Iterator[Secret]:
    """A secret as a whole; or if it is a document, such as the one of registries, each value in it."""
    try:
        parsed = read_plain(value)
    except (KopsError, ValueError):
        parsed = None
    if not isinstance(parsed, (dict, list)):
        yield Secret(name, value)
        yield from _decoded(name, value)
        return
    for text in _leaves(parsed):
        yield Secret(name, text.encode())
        words = [word for word in text.split() if len(word) >= _SHORTEST_WORD and word.isalnum()]
        if len(text.split()) > 1:
            yield from (Secret(name, word.encode()) for word in words)
        yield from _decoded(name, text.encode())


def _leaves(data: Any, key: str = "") -> Iterator[str]:
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _leaves(value, str(name))
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value, key)
    elif isinstance(data, bool) or data is None or key in _HARMLESS_KEYS:
        return
    elif len(str(data)) >= SHORTEST:
        # A shorter one, such as the number of a key, is no secret by itself.
        yield str(data)


def _decoded(name: str, value: bytes) -> Iterator[Secret]:
    """Decode a value in base64: an encryption key, or user and password of a registry."""
    try:
        decoded = base64.b64decode(value.strip(), validate=True)
    except ValueError:
        return
    if len(decoded) >= _SHORTEST_WORD:
        yield Secret(name, decoded)
        _user, colon, password = decoded.partition(b":")
        if colon and len(password) >= SHORTEST:
            yield Secret(name, password)
