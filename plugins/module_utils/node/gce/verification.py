# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which instance a request comes from: its statement is signed by the key that is in the TPM of one instance only.

kops' rules (upup/pkg/fi/cloudup/gce/tpm/gcetpmverifier and pkg/nodeidentity/gce), and stricter ones: a window of five
minutes, each statement once, the cluster, the state of the instance, its service account, and that a managed instance
group has made it from a template of the cluster. Names, group and addresses are Google's, never the caller's: what an
instance says of itself only tells for which instance Google is asked.

No token of the metadata server is looked at, neither an access token nor an identity token: every pod can get these.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import threading
import time
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from ...base.errors import KopsError
from ..cloud.identity import Admission, Evidence, Identity, Refused, Unavailable
from ..keys.der import EncodingError
from ..stores.xml_service import ServiceError
from .api import COMPUTE, NOT_FOUND, Google, last_part, metadata_of
from .cluster_instances import RUNNING
from .disks import address_of
from .identity import AUDIENCE, SCHEME, body_hash
from .marks import CLUSTER_NAME, GROUP_NAME, MADE_BY
from .metadata import Metadata
from .rsa import PublicKey

# Seconds. Clocks of new instances may be a little wrong.
WINDOW = 300
_LONGEST_PROOF = 8192
_TEXTS = ("gcpProjectID", "zone", "instance", "cluster", "requestHash", "audience", "nonce")
_NAME = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
_GROUP = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_BAD_REQUEST = 400


class _Statement(NamedTuple):
    """What the caller says: which instance it is. signed, signature: as they came."""

    zone: str
    instance: str
    moment: int
    signed: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"instance {self.instance} in {self.zone}"

    @property
    def path(self) -> str:
        """Below the project."""
        return f"zones/{self.zone}/instances/{self.instance}"


class GoogleVerifier:
    """Tells instances of one cluster, in the project and region that this server is in.

    accounts: service accounts (email) of its workers. now: for tests, seconds since 1970.
    """

    def __init__(
        self, google: Google, cluster: str, accounts: Collection[str], now: Callable[[], float] = time.time
    ) -> None:
        self.google, self.cluster, self.accounts, self.now = google, cluster, frozenset(accounts), now
        # Hash of a statement that was right -> when it is too old anyway.
        self._used: dict[bytes, float] = {}
        self._lock = threading.Lock()

    @classmethod
    def here(cls, cluster: str, accounts: Collection[str]) -> GoogleVerifier:
        """With the service account of this instance."""
        return cls(Google(Metadata()), cluster, accounts)

    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        """See Verifier. What costs nothing is looked at first; where the request comes from says nothing."""
        statement = self._statement(evidence)
        admission.ask_cloud()
        try:
            self._check_signature(statement)
            self._use(statement)
            return self._instance(statement)
        except ServiceError as error:
            raise Unavailable(str(error)) from error
        except (Refused, Unavailable):
            raise
        except (OSError, KopsError) as error:
            raise Unavailable(f"Compute Engine: {error}") from error

    def _statement(self, evidence: Evidence) -> _Statement:
        """What is said, if it is said of this request, at this moment, and of an instance that could be a worker."""
        scheme, _space, encoded = evidence.proof.partition(" ")
        if scheme != SCHEME or len(evidence.proof) > _LONGEST_PROOF:
            raise Refused("the request carries no proof of identity")
        try:
            given = json.loads(base64.b64decode(encoded, validate=True))
            signed, signature = (base64.b64decode(given.pop(name), validate=True) for name in ("data", "signature"))
            said = json.loads(signed)
            moment = said.pop("timestamp")
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError, binascii.Error):
            raise Refused("the proof of identity cannot be read") from None
        if given or said.keys() != set(_TEXTS) or isinstance(moment, bool) or not isinstance(moment, int):
            raise Refused("the proof of identity says other things than are asked for")
        if not all(isinstance(value, str) for value in said.values()) or not said["nonce"]:
            raise Refused("the proof of identity says something that is not text")
        if said["audience"] != AUDIENCE or said["cluster"] != self.cluster:
            raise Refused("the proof of identity is for others than the bootstrap servers of this cluster")
        if not hmac.compare_digest(said["requestHash"].encode(), body_hash(evidence.body).encode()):
            raise Refused("the proof of identity is of another request")
        age = self.now() - moment
        if abs(age) > WINDOW:
            raise Refused(f"the proof of identity is {age:.0f} s old, and {WINDOW} s are allowed")
        project, zone, instance = said["gcpProjectID"], said["zone"], said["instance"]
        if project != self._ours("project"):
            raise Refused("the proof of identity is of an instance in another project than the cluster's")
        # Both become parts of a path.
        if (
            not _NAME.fullmatch(zone)
            or not _NAME.fullmatch(instance)
            or zone.rpartition("-")[0] != self._ours("region")
        ):
            raise Refused("the proof of identity is of an instance outside of the cluster's region")
        return _Statement(zone, instance, moment, signed, signature)

    def _ours(self, what: str) -> str:
        """The project or the region of this server."""
        try:
            return str(getattr(self.google, what))
        except (KopsError, OSError) as error:
            raise Unavailable(f"this server does not know its own {what}: {error}") from error

    def _check_signature(self, statement: _Statement) -> None:
        try:
            found = self.google.get(COMPUTE, f"{statement.path}/getShieldedInstanceIdentity")
        except ServiceError as error:
            if error.status in (NOT_FOUND, _BAD_REQUEST):
                raise Refused(f"Compute Engine knows no key of {statement}: {error}") from error
            raise
        try:
            key = PublicKey.of_pem(str((found.get("signingKey") or {}).get("ekPub") or ""))
        except EncodingError as error:
            raise Refused(f"Compute Engine knows no key of {statement}: {error}") from error
        if not key.has_signed(statement.signed, statement.signature):
            raise Refused(f"{statement} has not signed the proof of identity")

    def _use(self, statement: _Statement) -> None:
        """Raise Refused if the same statement was used before. It only grows by statements that are right."""
        digest, now = hashlib.sha256(statement.signed).digest(), self.now()
        with self._lock:
            self._used = {each: end for each, end in self._used.items() if end > now}
            if digest in self._used:
                raise Refused(f"the proof of identity of {statement} was used before")
            self._used[digest] = statement.moment + WINDOW + 1

    def _instance(self, statement: _Statement) -> Identity:
        described = self.google.find_object(COMPUTE, statement.path)
        if described is None:
            raise Refused(f"Compute Engine knows no {statement}")
        state = described.get("status")
        if state not in RUNNING:
            raise Refused(f"{statement} is {state}")
        accounts = {str(each.get("email") or "") for each in described.get("serviceAccounts") or ()}
        if not accounts or not accounts <= self.accounts:
            raise Refused(f"service account {', '.join(sorted(accounts))} of {statement} is not one of workers")
        group = self._group(statement, described)
        address = address_of(described)
        if not address:
            raise Unavailable(f"{statement} has no address yet")
        return Identity(group, {"NODE_NAME": statement.instance, "INTERNAL_IP": address})

    def _group(self, statement: _Statement, described: dict[str, Any]) -> str:
        """The instance group: by the template from which a managed group of the same zone has made the instance.

        Metadata of an instance can be changed; that it is in a managed group is said by the group.
        """
        manager = last_part(metadata_of(described).get(MADE_BY, ""))
        template = self._template(statement, manager, str(described.get("id") or ""))
        found = self.google.find_object(COMPUTE, f"global/instanceTemplates/{template}") if template else None
        metadata = metadata_of((found or {}).get("properties") or {})
        if metadata.get(CLUSTER_NAME) != self.cluster:
            raise Refused(f"no managed instance group of cluster {self.cluster} has made {statement}")
        group = metadata.get(GROUP_NAME, "")
        if not _GROUP.fullmatch(group):
            raise Refused(f"the template {template} of {statement} names no instance group")
        return group

    def _template(self, statement: _Statement, manager: str, instance_id: str) -> str:
        """The name of the template that a managed group has made an instance from; "" if it has not made it."""
        if not _NAME.fullmatch(manager) or not instance_id:
            return ""
        place = f"zones/{statement.zone}/instanceGroupManagers/{manager}/listManagedInstances"
        try:
            for page in self.google.pages(COMPUTE, place, {"maxResults": "500"}, method="POST"):
                for each in page.get("managedInstances") or ():
                    if str(each.get("id") or "") == instance_id:
                        return last_part(str((each.get("version") or {}).get("instanceTemplate") or ""))
        except ServiceError as error:
            if error.status != NOT_FOUND:
                raise
        return ""
