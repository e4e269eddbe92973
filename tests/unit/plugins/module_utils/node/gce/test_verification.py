# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a bootstrap server believes, and attacks: from a pod, in another's name, altered, replayed, and late."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.admission import Admission
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Rate
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.verdicts import Busy
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import (
    Evidence,
    Identity,
    Refused,
    Unavailable,
    Verifier,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import cloud as gce
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import identity
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.api import Google
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.instance import GoogleInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.verification import WINDOW, GoogleVerifier
from ansible_collections.kubeops.kops.tests.support import software_tpm
from ansible_collections.kubeops.kops.tests.support import verifier_contract as contract
from ansible_collections.kubeops.kops.tests.support.google_metadata import (
    CLUSTER,
    INSTANCE,
    PROJECT,
    ZONE,
    MetadataServer,
)
from ansible_collections.kubeops.kops.tests.support.software_tpm import SoftwareTPM
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from .fake_google import ACCOUNT, MANAGER, FakeGoogle, Refusal, metadata

BODY = b'{"apiVersion": "bootstrap"}'
OTHER = "nodes-b-z9z9"
KEY, KEY_OF_OTHER = (rsa.generate_private_key(65537, 2048) for _each in range(2))
ADMISSION = Admission(Rate(1000, 1000), 1, 1)


def pem(key: Any) -> str:
    public = key.public_key()
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


def signed_by(key: rsa.RSAPrivateKey) -> Callable[[bytes], bytes]:
    return lambda data: key.sign(data, padding.PKCS1v15(), hashes.SHA256())


def known(cloud: FakeGoogle, public_key: str, name: str = INSTANCE, zone: str = ZONE) -> None:
    """Google knows the key of an instance."""
    shielded = {"encryptionKey": {"ekPub": pem(KEY_OF_OTHER)}, "signingKey": {"ekPub": public_key}}
    cloud.objects[f"zones/{zone}/instances/{name}/getShieldedInstanceIdentity"] = shielded


@pytest.fixture()
def verifier(google: Google, cloud: FakeGoogle) -> GoogleVerifier:
    """Of a cluster with two workers of different groups."""
    cloud.managed()
    cloud.managed(OTHER, group="nodes-b")
    known(cloud, pem(KEY))
    known(cloud, pem(KEY_OF_OTHER), OTHER)
    return GoogleVerifier(google, CLUSTER, [ACCOUNT])


# For mypy: what the cloud's module gives.
GIVEN: type[Verifier] = GoogleVerifier


def proof(
    body: bytes = BODY,
    key: rsa.RSAPrivateKey = KEY,
    project: str = PROJECT,
    zone: str = ZONE,
    instance: str = INSTANCE,
    cluster: str = CLUSTER,
    age: float = 0,
) -> str:
    return identity.token(body, (project, zone, instance), cluster, signed_by(key), lambda: time.time() - age)


def identify(verifier: GoogleVerifier, header: str, body: bytes = BODY, admission: Admission = ADMISSION) -> Identity:
    return verifier.identify(Evidence(header, body, "10.0.0.1"), admission)


def altered(change: Callable[[dict[str, Any]], object], key: rsa.RSAPrivateKey | None = None) -> str:
    """A proof whose statement is changed after it was signed; key: signs it again."""
    given = json.loads(base64.b64decode(proof().partition(" ")[2]))
    said = json.loads(base64.b64decode(given["data"]))
    change(said)
    data = json.dumps(said).encode()
    given["data"] = base64.b64encode(data).decode()
    if key is not None:
        given["signature"] = base64.b64encode(signed_by(key)(data)).decode()
    return f"{identity.SCHEME} {base64.b64encode(json.dumps(given).encode()).decode()}"


def test_an_instance_is_what_google_says(verifier: GoogleVerifier, cloud: FakeGoogle) -> None:
    found = identify(verifier, proof())
    address = cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}"]["networkInterfaces"][0]["networkIP"]
    assert found == Identity("nodes-a", {"NODE_NAME": INSTANCE, "INTERNAL_IP": address})
    assert identify(verifier, proof(instance=OTHER, key=KEY_OF_OTHER)).group == "nodes-b"


class Party:
    """A worker of Google Cloud, for the contract of verifiers."""

    node = INSTANCE

    def __init__(self, google: Google, cloud: FakeGoogle) -> None:
        self.google, self.cloud = google, cloud
        self.address = str(self._instance["networkInterfaces"][0]["networkIP"])

    @property
    def _instance(self) -> dict[str, Any]:
        return self.cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}"]

    def verifier(self) -> GoogleVerifier:
        return GoogleVerifier(self.google, CLUSTER, [ACCOUNT])

    def proof(self, body: bytes, age: float = 0) -> str:
        return proof(body, age=age)

    def end(self) -> None:
        self._instance["status"] = "STOPPING"

    def leave(self) -> None:
        template = self.cloud.objects["global/instanceTemplates/nodes-a-demo-example-com-1"]
        template["properties"]["metadata"] = metadata(cluster_name="other.example.com")

    def break_off(self) -> None:
        self.cloud.statuses = [503] * 100

    def asked(self) -> int:
        return len(self.cloud.asked)


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(
    verifier: GoogleVerifier,
    google: Google,
    cloud: FakeGoogle,
    monkeypatch: pytest.MonkeyPatch,
    check: Callable[[contract.Party], None],
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    check(Party(google, cloud))


@software_tpm.needed
def test_an_instance_with_its_tpm(
    cloud: FakeGoogle, server: type[MetadataServer], tpm: SoftwareTPM, other_tpm: SoftwareTPM
) -> None:
    """From the machine's TPM to the server's answer; another TPM of the same make is another instance."""
    cloud.managed()
    known(cloud, tpm.public_key)
    verifier = gce.verifier(CLUSTER, {"accounts": [ACCOUNT]}, named_by_address=False)
    assert identify(verifier, GoogleInstance(tpm.connect).proof(BODY)).node == INSTANCE
    with pytest.raises(Refused, match=f"instance {INSTANCE} in {ZONE} has not signed the proof of identity"):
        identify(verifier, GoogleInstance(other_tpm.connect).proof(BODY))


# -- from a pod -------------------------------------------------------------------------------------------------------


def test_tokens_of_the_instance_prove_nothing(verifier: GoogleVerifier, server: type[MetadataServer]) -> None:
    """All that a pod can have: tokens of the metadata server, and every word that the instance says of itself."""
    access = Metadata().token()[0]
    claims = {"aud": identity.AUDIENCE, "google": {"compute_engine": {"instance_name": INSTANCE, "zone": ZONE}}}
    parts = ({"alg": "RS256"}, claims)
    unsigned = ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in parts)
    for token in (access, f"{unsigned}.c2lnbmF0dXJl"):
        for header in (f"Bearer {token}", f"{identity.SCHEME} {token}", token, ""):
            with pytest.raises(Refused, match="carries no proof of identity|cannot be read"):
                identify(verifier, header)

    def signed_by_token(data: bytes) -> bytes:
        return (access.encode() + data)[:256]

    header = identity.token(BODY, (PROJECT, ZONE, INSTANCE), CLUSTER, signed_by_token)
    with pytest.raises(Refused, match="has not signed"):
        identify(verifier, header)


# -- in another's name ------------------------------------------------------------------------------------------------


def test_another_instances_name(verifier: GoogleVerifier) -> None:
    """A worker cannot become another one, nor one of another group."""
    with pytest.raises(Refused, match=f"instance {OTHER} in {ZONE} has not signed"):
        identify(verifier, proof(instance=OTHER))


def test_another_projects_instance(verifier: GoogleVerifier, cloud: FakeGoogle) -> None:
    before = len(cloud.asked)
    with pytest.raises(Refused, match="in another project than the cluster's"):
        identify(verifier, proof(project="project-2"))
    assert len(cloud.asked) == before


@pytest.mark.parametrize("zone", ["us-test2-a", "us-test12-a", "us-test1", "us-test1-a/instances/x?", "..", ""])
def test_another_regions_instance(verifier: GoogleVerifier, cloud: FakeGoogle, zone: str) -> None:
    with pytest.raises(Refused, match="outside of the cluster's region"):
        identify(verifier, proof(zone=zone))
    assert cloud.asked == []


@pytest.mark.parametrize("name", ["", "../instances/x", "a?b", "a/b", "A", "a" * 64, "-a", "a\n"])
def test_names_that_are_none(verifier: GoogleVerifier, cloud: FakeGoogle, name: str) -> None:
    with pytest.raises(Refused, match="proof of identity is of an instance"):
        identify(verifier, proof(instance=name))
    assert cloud.asked == []


def test_another_clusters_instance(verifier: GoogleVerifier, cloud: FakeGoogle) -> None:
    """It may say that it is ours, and even have metadata that says so: its managed group does not."""
    with pytest.raises(Refused, match="is for others than the bootstrap servers of this cluster"):
        identify(verifier, proof(cluster="other.example.com"))
    cloud.managed("nodes-0000", group="foreign", metadata=FakeGoogle.created_by("a-foreign-demo-example-com"))
    known(cloud, pem(KEY), "nodes-0000")
    template = cloud.objects["global/instanceTemplates/foreign-demo-example-com-1"]
    template["properties"]["metadata"] = metadata(
        cluster_name="other.example.com", kops_k8s_io_instance_group_name="foreign"
    )
    with pytest.raises(Refused, match=f"no managed instance group of cluster {CLUSTER} has made instance nodes-0000"):
        identify(verifier, proof(instance="nodes-0000"))


@pytest.mark.parametrize(
    "made_by",
    [
        metadata(cluster_name=CLUSTER, kops_k8s_io_instance_group_name="nodes-a"),
        FakeGoogle.created_by(MANAGER),
        FakeGoogle.created_by("none"),
        FakeGoogle.created_by("../x"),
        {},
    ],
)
def test_an_instance_that_no_group_has_made(verifier: GoogleVerifier, cloud: FakeGoogle, made_by: Any) -> None:
    """Whoever may make instances with all the metadata of a worker is not in a group for that."""
    cloud.instance("nodes-a-0000", metadata=made_by)
    known(cloud, pem(KEY), "nodes-a-0000")
    with pytest.raises(Refused, match="no managed instance group of cluster"):
        identify(verifier, proof(instance="nodes-a-0000"))


def test_the_group_is_not_what_metadata_of_the_instance_says(verifier: GoogleVerifier, cloud: FakeGoogle) -> None:
    cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}"]["metadata"] = FakeGoogle.created_by(MANAGER, group="secret")
    assert identify(verifier, proof()).group == "nodes-a"


def test_an_instance_on_a_later_page_of_its_group(verifier: GoogleVerifier, cloud: FakeGoogle) -> None:
    for number in range(5):
        cloud.managed(f"nodes-a-000{number}")
    known(cloud, pem(KEY), "nodes-a-0004")
    assert identify(verifier, proof(instance="nodes-a-0004")).node == "nodes-a-0004"


@pytest.mark.parametrize("accounts", [[], ["control-plane@x"], ["control-plane@x", ACCOUNT]])
def test_whoever_does_not_run_as_workers_do(verifier: GoogleVerifier, cloud: FakeGoogle, accounts: list[str]) -> None:
    """Such as a control plane, which has more rights than a worker already."""
    found = cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}"]
    found["serviceAccounts"] = [{"email": each} for each in accounts]
    with pytest.raises(Refused, match="is not one of workers"):
        identify(verifier, proof())


@pytest.mark.parametrize("status", ["STOPPING", "TERMINATED", "SUSPENDED", None])
def test_an_instance_that_does_not_run(verifier: GoogleVerifier, cloud: FakeGoogle, status: str | None) -> None:
    cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}"]["status"] = status
    with pytest.raises(Refused, match=f"instance {INSTANCE} in {ZONE} is {status}"):
        identify(verifier, proof())


def test_an_instance_that_is_gone(verifier: GoogleVerifier, cloud: FakeGoogle) -> None:
    del cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}"]
    with pytest.raises(Refused, match="Compute Engine knows no instance"):
        identify(verifier, proof())
    with pytest.raises(Refused, match="Compute Engine knows no key of instance nodes-a-0000"):
        identify(verifier, proof(instance="nodes-a-0000"))


# -- altered, replayed, late ------------------------------------------------------------------------------------------


def test_another_request_than_was_signed(verifier: GoogleVerifier, cloud: FakeGoogle) -> None:
    with pytest.raises(Refused, match="is of another request"):
        identify(verifier, proof(), b'{"apiVersion": "bootstrap", "keys": "of the attacker"}')
    assert cloud.asked == []


CHANGES = {
    "another time": lambda said: said.update(timestamp=said["timestamp"] + 1),
    "another nonce": lambda said: said.update(nonce="00"),
    "another instance": lambda said: said.update(instance=OTHER),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_altered_is_not_signed(verifier: GoogleVerifier, change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(Refused, match="has not signed the proof of identity"):
        identify(verifier, altered(change))


def test_a_proof_is_used_once(verifier: GoogleVerifier) -> None:
    header = proof()
    identify(verifier, header)
    with pytest.raises(Refused, match="was used before"):
        identify(verifier, header)
    # The same in other words: what is signed counts.
    scheme, _space, encoded = header.partition(" ")
    given = json.loads(base64.b64decode(encoded))
    again = json.dumps(dict(reversed(given.items())), indent=1)
    with pytest.raises(Refused, match="was used before"):
        identify(verifier, f"{scheme} {base64.b64encode(again.encode()).decode()}")
    identify(verifier, proof())


def test_what_was_used_is_forgotten_when_it_is_too_old(google: Google, verifier: GoogleVerifier) -> None:
    later = [0.0]
    verifier.now = lambda: time.time() + later[0]
    for _time in range(3):
        identify(verifier, proof(age=-later[0]))
        later[0] += 2 * WINDOW
    assert len(verifier._used) == 1


def test_a_false_proof_uses_nothing(verifier: GoogleVerifier) -> None:
    """Nobody can keep a worker out by what looks like its statement."""
    header = proof()
    given = json.loads(base64.b64decode(header.partition(" ")[2]))
    given["signature"] = base64.b64encode(bytes(256)).decode()
    with pytest.raises(Refused, match="has not signed"):
        identify(verifier, f"{identity.SCHEME} {base64.b64encode(json.dumps(given).encode()).decode()}")
    assert identify(verifier, header).node == INSTANCE


@pytest.mark.parametrize("age", [WINDOW + 2, -WINDOW - 2, 86400])
def test_a_proof_of_another_time(verifier: GoogleVerifier, cloud: FakeGoogle, age: float) -> None:
    with pytest.raises(Refused, match=f"s old, and {WINDOW} s are allowed"):
        identify(verifier, proof(age=age))
    assert cloud.asked == []


MALFORMED = {
    "no audience": lambda said: said.pop("audience"),
    "another audience": lambda said: said.update(audience="https://vault.example.com"),
    "no nonce": lambda said: said.update(nonce=""),
    "more": lambda said: said.update(group="control-plane"),
    "a number": lambda said: said.update(instance=7),
    "no time": lambda said: said.pop("timestamp"),
    "a time that is true": lambda said: said.update(timestamp=True),
    "a time that is text": lambda said: said.update(timestamp="1700000000"),
    "a time without an end": lambda said: said.update(timestamp=float("inf")),
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED)
def test_statements_of_another_form(
    verifier: GoogleVerifier, cloud: FakeGoogle, change: Callable[[dict[str, Any]], object]
) -> None:
    """Though the instance has signed them."""
    with pytest.raises(Refused):
        identify(verifier, altered(change, KEY))
    assert cloud.asked == []


def encoded(value: Any) -> str:
    return f"{identity.SCHEME} {base64.b64encode(json.dumps(value).encode()).decode()}"


@pytest.mark.parametrize(
    "header",
    [
        identity.SCHEME,
        f"{identity.SCHEME} ",
        f"{identity.SCHEME} %%%",
        f"{identity.SCHEME} {base64.b64encode(b'no JSON').decode()}",
        encoded([]),
        encoded({}),
        encoded({"data": 1, "signature": ""}),
        encoded({"data": "", "signature": ""}),
        encoded({"data": base64.b64encode(b"[]").decode(), "signature": ""}),
        encoded({"data": base64.b64encode(b'{"timestamp": 1}').decode(), "signature": "", "key": "mine"}),
        f"{identity.SCHEME} {base64.b64encode(b'[' * 3000).decode()}",
        f"{identity.SCHEME} {'A' * 9000}",
        "x-aws-sts e30=",
    ],
)
def test_headers_that_are_none(verifier: GoogleVerifier, cloud: FakeGoogle, header: str) -> None:
    with pytest.raises(Refused):
        identify(verifier, header)
    assert cloud.asked == []


# -- where Google fails -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["getShieldedInstanceIdentity", f"instances/{INSTANCE}$", "listManaged", "Templates"])
def test_who_does_not_answer_does_not_refuse(
    verifier: GoogleVerifier, cloud: FakeGoogle, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    answer = cloud.answer

    def failing(method: str, service: str, path: str, *more: Any) -> Any:
        if re.search(part, path):
            raise Refusal(403, "forbidden", "Required 'compute.instances.get' permission")
        return answer(method, service, path, *more)

    monkeypatch.setattr(cloud, "answer", failing)
    with pytest.raises(Unavailable, match="403 forbidden"):
        identify(verifier, proof())


@pytest.mark.parametrize(
    "shielded",
    [
        {},
        {"signingKey": {}},
        {"signingKey": {"ekPub": ""}},
        {"signingKey": {"ekPub": pem(ec.generate_private_key(ec.SECP256R1()))}},
        {"signingKey": {"ekPub": pem(rsa.generate_private_key(65537, 1024))}},
        # The key that the TPM encrypts with signs nothing.
        {"encryptionKey": {"ekPub": pem(KEY)}},
    ],
)
def test_an_instance_whose_key_google_does_not_know(
    verifier: GoogleVerifier, cloud: FakeGoogle, shielded: dict[str, Any]
) -> None:
    cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}/getShieldedInstanceIdentity"] = shielded
    with pytest.raises(Refused, match=f"Compute Engine knows no key of instance {INSTANCE}"):
        identify(verifier, proof())


def test_a_new_instance_without_an_address_comes_again(verifier: GoogleVerifier, cloud: FakeGoogle) -> None:
    cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}"]["networkInterfaces"] = []
    with pytest.raises(Unavailable, match="has no address yet"):
        identify(verifier, proof())


def test_a_server_that_does_not_know_itself(verifier: GoogleVerifier, server: type[MetadataServer]) -> None:
    server.paths.clear()
    with pytest.raises(Unavailable, match="this server does not know its own project"):
        identify(verifier, proof())


def test_google_is_asked_within_bounds(verifier: GoogleVerifier, cloud: FakeGoogle) -> None:
    with pytest.raises(Busy):
        identify(verifier, proof(), admission=Admission(Rate(0, 0), 1, 1))
    assert cloud.asked == []


def test_what_a_server_must_be_told() -> None:
    with pytest.raises(ConfigError, match="names no service account of workers") as caught:
        gce.verifier(CLUSTER, {}, named_by_address=True)
    assert "not by address" in str(caught.value)
