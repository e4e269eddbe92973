# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What workers get of a bootstrap server: their NodeConfig, what its files refer to, and certificates.

Nothing is kept but copies of what the store has. No private key of an authority leaves it, whatever a NodeConfig says.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Protocol

from ...base.errors import KopsError
from ...exchange.bootstrap import Answer, MessageError, Request
from ...exchange.certificates import wanted
from ...exchange.document import content_hash
from ...exchange.references import content, is_for_workers
from ...exchange.store_places import WORKERS, node_config_of, program_of
from ..cloud.identity import Admission, Evidence, Identity, Refused, Unavailable, Verifier
from ..keys.issue import checked_public_key, issue
from ..keys.secrets_document import StoreSource, certificates_of, encoded, stored_references
from .verdicts import Conflict, Malformed

# The certificates that kops' nodes ask for (kops-controller, pkg/server); whatever else a NodeConfig names is refused.
CERTIFICATES = frozenset({"kubelet", "kubelet-server", "kube-proxy", "kube-router", "etcd-client-cilium"})
# How long keysets are believed without asking the store again.
_FRESH_SECONDS = 60
# A node that was started for other key pairs makes it ask again, but no more often.
_STALE_SECONDS = 1
# How long it is known by which keys an instance got its certificates, and of how many instances.
_KEYS_SECONDS, _MOST_INSTANCES = 3600, 4096
_MOST_FILES = 64
# Files that are not there are asked for no more often.
_MISSING_SECONDS, _MOST_MISSING = 5, 1024

Read = Callable[[str], "bytes | None"]


class Nodes(Protocol):
    """The Node objects of the cluster."""

    def is_ready(self, name: str) -> bool:
        """Whether there is a Node of that name, and it is Ready. Raises KopsError if the API does not answer."""


class Files:
    """Files of the store that have the hash of their content in their names, the last of them in memory."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: OrderedDict[str, bytes] = OrderedDict()
        self._missing: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, location: str, sha256: str) -> bytes | None:
        """The file; None if there is none with this content. Raises KopsError, OSError if the store does not answer."""
        with self._lock:
            if location in self._known:
                self._known.move_to_end(location)
                return self._known[location]
            if time.monotonic() < self._missing.get(location, 0.0):
                return None
        data = self._read(location)
        with self._lock:
            if data is None or content_hash(data) != sha256:
                self._missing[location] = time.monotonic() + _MISSING_SECONDS
                if len(self._missing) > _MOST_MISSING:
                    self._missing.popitem(last=False)
                return None
            self._known[location] = data
            if len(self._known) > _MOST_FILES:
                self._known.popitem(last=False)
        return data


class Service:
    """Answers requests.

    cluster: its name. read: gives a file below the cluster's directory of the store, None if there is none.
    """

    def __init__(self, cluster: str, read: Read, verifier: Verifier, nodes: Nodes) -> None:
        self.cluster, self.verifier, self.nodes = cluster, verifier, nodes
        self._read, self._files = read, Files(read)
        self._source, self._until = StoreSource(read), 0.0
        self._keys: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._lock = threading.Lock()

    def program(self, sha256: str) -> bytes | None:
        """The node program with that hash; None if there is none. Raises Unavailable."""
        return self._stored(program_of(sha256), sha256)

    def bootstrap(self, evidence: Evidence, admission: Admission, client: str = "") -> tuple[Identity, Answer]:
        """Who asks, and the answer. client: the name of the node of which the caller has shown a certificate.

        Raises Refused, Unavailable.
        """
        identity = self.verifier.identify(evidence, admission)
        try:
            return identity, self._answer(identity, Request.read(evidence.body), client)
        except MessageError as error:
            raise Malformed(f"{identity.node}: {error}") from error
        except (Refused, Unavailable) as error:
            raise type(error)(f"{identity.node}: {error}") from error
        except (KopsError, OSError) as error:
            raise Unavailable(f"{identity.node}: {error}") from error

    def _answer(self, identity: Identity, request: Request, client: str) -> Answer:
        text, config = self._node_config(identity, request.node_config)
        listed = {each.name: each for each in certificates_of(config)}
        for name in sorted(request.public_keys.keys() - (listed.keys() & CERTIFICATES)):
            raise Refused(f"certificate {name!r} is not for nodes of group {identity.group}")
        for key in request.public_keys.values():
            _check_key(key)
        references = stored_references(config)
        for reference in references:
            if not is_for_workers(reference):
                raise Refused(
                    f"the NodeConfig of group {identity.group} refers to {reference}, which is not for workers"
                )
        used = {reference.partition("/")[2] for reference in references} | {each.signer for each in listed.values()}
        source = self._fresh_source({name: ids for name, ids in request.keysets.items() if name in used})
        secrets = {reference: content(reference, source) for reference in references}
        # Last, as it is what may not be done twice.
        if request.public_keys:
            self._claim(identity.node, request.public_keys, client)
        issued = {
            name: issue(wanted(listed[name], identity.facts), key, source.signer(listed[name].signer))
            for name, key in request.public_keys.items()
        }
        return Answer(issued, text, encoded(secrets))

    def _node_config(self, identity: Identity, sha256: str) -> tuple[str, dict[str, Any]]:
        """The NodeConfig with that hash, if it is one of the instance's group, and the group one of workers."""
        if len(sha256) != 64 or not sha256.isalnum():
            raise Malformed("no hash of a NodeConfig")
        # By the group's name, not by a list of groups: a list would be another one with each new group of workers.
        found = self._stored(node_config_of(WORKERS, identity.group, sha256), sha256)
        if found is None:
            raise Refused(f"group {identity.group} has no NodeConfig {sha256} for workers")
        config = json.loads(found)
        if (config.get("cluster"), config.get("instanceGroup")) != (self.cluster, identity.group):
            raise Refused(f"NodeConfig {sha256} is of another group or cluster")
        return found.decode(), config

    def _claim(self, node: str, public_keys: Mapping[str, str], client: str) -> None:
        """Raise Conflict if the node works already, and it is not the one that asks."""
        asked = hashlib.sha256(json.dumps(dict(public_keys), sort_keys=True).encode()).hexdigest()
        with self._lock:
            known, until = self._keys.get(node, ("", 0.0))
        proved = client == node or (known == asked and time.monotonic() < until)
        if not proved and self.nodes.is_ready(node):
            raise Conflict("its Node is Ready, and it has other keys")
        with self._lock:
            self._keys.pop(node, None)
            self._keys[node] = (asked, time.monotonic() + _KEYS_SECONDS)
            if len(self._keys) > _MOST_INSTANCES:
                self._keys.popitem(last=False)

    def _fresh_source(self, keysets: Mapping[str, Sequence[str]]) -> StoreSource:
        """keysets: as the one that asks was started for. It must not get what was there before them."""
        with self._lock:
            source, age = self._source, time.monotonic() - self._until + _FRESH_SECONDS
        known = age <= _STALE_SECONDS or (age <= _FRESH_SECONDS and _has(source, keysets))
        with self._lock:
            if not known and self._source is source:
                self._source, self._until = StoreSource(self._read), time.monotonic() + _FRESH_SECONDS
            return self._source

    def _stored(self, location: str, sha256: str) -> bytes | None:
        try:
            return self._files.find(location, sha256)
        except (KopsError, OSError) as error:
            raise Unavailable(f"the store does not answer: {error}") from error


def _has(source: StoreSource, keysets: Mapping[str, Sequence[str]]) -> bool:
    """Whether a source has the same key pairs. Raises KopsError if there is no such keyset, OSError."""
    return all([pair.id for pair in source.keyset(name).used] == list(ids) for name, ids in keysets.items())


def _check_key(key: str) -> None:
    try:
        checked_public_key(key)
    except KopsError as error:
        raise Malformed(str(error)) from error
