# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which instance a request comes from: the signed request to STS that it carries is carried out, and EC2 is asked.

kops' rules (pkg/bootstrap/awsbootstrap), and stricter ones: a window of five minutes, the region, the signed headers,
and that the instance runs and has the tag of the cluster. Names and addresses are EC2's, never the caller's.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import hmac
import json
import re
import threading
import urllib.error
from collections.abc import Collection
from typing import Callable, NamedTuple
from xml.etree import ElementTree

from ...base.errors import KopsError
from ...base.instance_ids import EC2
from ...base.labels import INSTANCE_GROUP
from ..cloud.identity import Admission, Evidence, Identity, Refused, Unavailable
from ..stores.xml_service import ServiceError, failure, post, read_xml
from .api import AWS
from .identity import FORM, HASH_HEADER, REQUEST, SCHEME, body_hash
from .metadata import Metadata
from .node_names import name_by_address

# AWS itself accepts signatures for 15 minutes. Clocks of new instances may be a little wrong, too.
WINDOW = 300
_CLUSTER_TAG = "KubernetesCluster"
_LONGEST_PROOF = 16384
_TIME = "%Y%m%dT%H%M%SZ"
_HASH = HASH_HEADER.lower()
_REQUIRED = {_HASH, "x-amz-date", "x-amz-security-token", "authorization", "content-type"}
_SIGNED = {"host", *_REQUIRED} - {"authorization"}
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=[A-Z0-9]{16,128}/(?P<date>\d{8})/(?P<region>[a-z0-9-]+)/sts/aws4_request, "
    r"SignedHeaders=(?P<signed>[a-z0-9;-]+), Signature=[0-9a-f]{64}"
)
_VALUE = re.compile(r"[\x20-\x7e]*")
_GROUP = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_ALIVE = ("pending", "running")
_SERVER_ERROR, _TOO_MANY = 500, 429


class _Caller(NamedTuple):
    """What STS says: who has signed."""

    partition: str
    account: str
    kind: str
    role: str
    session: str


class AWSVerifier:
    """Tells instances of one cluster. roles: names of the IAM roles of its workers. now: for tests.

    named_by_address: whether nodes have the names that EC2 makes of their addresses.
    """

    def __init__(
        self,
        aws: AWS,
        cluster: str,
        roles: Collection[str],
        *,
        named_by_address: bool = False,
        now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.timezone.utc),
    ) -> None:
        self.aws, self.cluster, self.roles, self.now = aws, cluster, frozenset(roles), now
        self.named_by_address = named_by_address
        self._own: _Caller | None = None
        self._lock = threading.Lock()

    @classmethod
    def here(cls, cluster: str, roles: Collection[str], named_by_address: bool) -> AWSVerifier:
        """With the credentials of this instance."""
        return cls(AWS(Metadata()), cluster, roles, named_by_address=named_by_address)

    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        """See Verifier. What costs nothing is looked at first; where the request comes from says nothing."""
        headers = self._headers(evidence.proof, evidence.body)
        admission.ask_cloud()
        caller, own = self._caller(headers), self._ours()
        if (caller.partition, caller.account) != (own.partition, own.account):
            raise Refused(f"account {caller.account} of {caller.partition} is not the cluster's")
        if caller.kind != "assumed-role" or caller.role not in self.roles:
            raise Refused(f"{caller.kind} {caller.role} is not a role of the cluster's workers")
        if not EC2.is_id(caller.session):
            raise Refused(f"session {caller.session!r} of role {caller.role} is not an instance")
        return self._instance(caller)

    def _headers(self, proof: str, body: bytes) -> dict[str, str]:
        """The headers to send to STS, if their signature is for this body, this region and this moment."""
        scheme, _space, encoded = proof.partition(" ")
        if scheme != SCHEME or len(proof) > _LONGEST_PROOF:
            raise Refused("the request carries no proof of identity")
        try:
            given = json.loads(base64.b64decode(encoded, validate=True))
            headers = {name.lower(): value for name, [value] in given.items()}
        except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error):
            raise Refused("the proof of identity cannot be read") from None
        if headers.keys() != _REQUIRED or len(given) != len(headers):
            raise Refused("the proof of identity has other headers than are asked for")
        if not all(isinstance(value, str) and _VALUE.fullmatch(value) for value in headers.values()):
            raise Refused("the proof of identity has a header that is not plain text")
        found = _AUTHORIZATION.fullmatch(headers["authorization"])
        if found is None or not set(found["signed"].split(";")) >= _SIGNED:
            raise Refused("the proof of identity leaves headers unsigned")
        if headers["content-type"] != FORM or found["region"] != self.aws.region:
            raise Refused(f"the proof of identity is for a request to STS in {found['region']} of another kind")
        if not hmac.compare_digest(headers[_HASH], body_hash(body)):
            raise Refused("the proof of identity is of another request")
        self._check_time(headers["x-amz-date"], found["date"])
        return headers

    def _check_time(self, text: str, day: str) -> None:
        try:
            moment = datetime.datetime.strptime(text, _TIME).replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            raise Refused("the proof of identity has no time") from None
        age = (self.now() - moment).total_seconds()
        if abs(age) > WINDOW or not text.startswith(day):
            raise Refused(f"the proof of identity is {age:.0f} s old, and {WINDOW} s are allowed")

    def _caller(self, headers: dict[str, str]) -> _Caller:
        try:
            answer = read_xml(post(self.aws.endpoint("sts"), REQUEST, headers))
        except urllib.error.HTTPError as error:
            found = failure("sts.GetCallerIdentity", error)
            if error.code >= _SERVER_ERROR or error.code == _TOO_MANY or "Throttl" in found.code:
                raise Unavailable(str(found)) from error
            raise Refused(str(found)) from error
        except (OSError, KopsError) as error:
            raise Unavailable(f"sts.GetCallerIdentity: {error}") from error
        return _who(answer)

    def _ours(self) -> _Caller:
        """Who this server is: the cluster is in its account."""
        with self._lock:
            if self._own is None:
                try:
                    self._own = _who(self.aws.call("sts", "GetCallerIdentity", {}))
                except (ServiceError, Refused, OSError) as error:
                    raise Unavailable(f"this server does not know its own account: {error}") from error
            return self._own

    def _instance(self, caller: _Caller) -> Identity:
        try:
            answer = self.aws.call("ec2", "DescribeInstances", {"InstanceId.1": caller.session})
        except ServiceError as error:
            if error.code.startswith("InvalidInstanceID"):
                raise Refused(f"EC2 knows no instance {caller.session}") from error
            raise Unavailable(str(error)) from error
        except (OSError, KopsError) as error:
            raise Unavailable(f"ec2.DescribeInstances: {error}") from error
        found = [
            item for item in answer.iterfind(".//instancesSet/item") if _text(item, "instanceId") == caller.session
        ]
        if len(found) != 1:
            raise Refused(f"EC2 knows no instance {caller.session}")
        instance, state = found[0], _text(found[0], "instanceState/name")
        tags = {_text(tag, "key"): _text(tag, "value") for tag in instance.iterfind("tagSet/item")}
        group = tags.get(INSTANCE_GROUP, "")
        if state not in _ALIVE:
            raise Refused(f"instance {caller.session} is {state}")
        if tags.get(_CLUSTER_TAG) != self.cluster:
            raise Refused(f"instance {caller.session} is not of cluster {self.cluster}")
        if not _GROUP.fullmatch(group):
            raise Refused(f"instance {caller.session} has no tag {INSTANCE_GROUP} with the name of a group")
        address = _text(instance, "privateIpAddress") or _text(instance, ".//ipv6AddressesSet/item/ipv6Address")
        if not address:
            raise Unavailable(f"instance {caller.session} has no address yet")
        name = name_by_address(address, self.aws.region) if self.named_by_address else caller.session
        return Identity(group, {"NODE_NAME": name, "INTERNAL_IP": address})


def _who(answer: ElementTree.Element) -> _Caller:
    """Raises Refused for whoever is no role's session, such as a user."""
    parts = (answer.findtext(".//Arn") or "").split(":", 5)
    if len(parts) != 6 or parts[2] != "sts" or parts[5].count("/") != 2:
        raise Refused(f"{':'.join(parts)!r} is not the session of a role")
    kind, role, session = parts[5].split("/")
    return _Caller(parts[1], parts[4], kind, role, session)


def _text(element: ElementTree.Element, path: str) -> str:
    return element.findtext(path) or ""
