# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster as kops itself leaves it: what it keeps in the state store, and a configuration of what it made in AWS.

Both come from a case of kops' own tests. Those assume a region, a partition and a store in memory; here they are told
what the account has. What a case does not hold (a sample leaves out user data, addons and static pods) is read from
kops' source tree where KOPS_SOURCE names one, and stood in for by a text that says so elsewhere.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .aws_server import REGION

KEYSETS = "facts/keysets.yaml"
CONFIGURATION = "kubernetes.tf"
DOCKER_CONFIG = b'{"auths":{}}'
# The hosts that kops' cases name stores in memory by; as buckets their names have no dots.
_STORES = {"clusters.example.com": "clusters", "tests": "clusters", "discovery.example.com": "discovery"}
_ISSUER = f"discovery.s3.{REGION}.amazonaws.com"
_ZONE = "Z1AFAKE1ZON3YO"
_PLACEHOLDER = re.compile(r"placeholder-(?:read|write)-bucket(?:/clusters\.example\.com|/tests)?")
_REFERENCE = re.compile(r'file(?:base64)?\("\$\{path\.module\}/data/([^"]+)"\)')
_STORED = re.compile(r'("testingBucket"\n(?:(?!^\}).*\n)*?  key += ")([^/]+)/', re.MULTILINE)


@dataclass
class KopsCluster:
    """A case, once `leave` has put it into an account.

    store: URL of the state store. stored: what kops itself wrote there, path below the cluster -> content; its
    Terraform adds the rest. directory: that configuration, with its state once it is applied. records: type and name
    of the cluster's DNS records, once it runs.
    """

    name: str
    store: str
    directory: Path
    zone_id: str
    stored: dict[str, bytes] = field(default_factory=dict)
    records: list[str] = field(default_factory=list)

    @property
    def roles(self) -> dict[str, str]:
        """The role of each instance group, as its manifest spells it."""
        return {name: spec["role"] for name, spec in self._groups().items()}

    @property
    def of_karpenter(self) -> list[str]:
        """The instance groups whose instances Karpenter launches."""
        return [name for name, spec in self._groups().items() if spec.get("manager") == "Karpenter"]

    @property
    def keysets(self) -> dict[str, Any]:
        """The ids of each keyset's key pairs."""
        stored = [yaml.safe_load(text) for path, text in self.stored.items() if path.startswith("pki/private/")]
        return {
            keyset["metadata"]["name"]: {
                "primary": keyset["spec"]["primaryId"],
                "keys": [key["id"] for key in keyset["spec"]["keys"]],
            }
            for keyset in stored
        }

    @property
    def public_key(self) -> str:
        """SSH keys that can log in to nodes."""
        (key,) = [text for path, text in self.stored.items() if path.startswith("pki/ssh/")]
        return key.decode().strip()

    def run(self, client: Callable[[str], Any]) -> None:
        """Write the DNS records that a control plane writes once it runs, where its load balancer has none."""
        in_terraform = {f"{record['type']} {record['name']}" for record in self.made("aws_route53_record")}
        names = [f"{name}.{self.name}" for name in ("api", "api.internal", "kops-controller.internal")]
        self.records = sorted({*in_terraform, *(f"A {name}" for name in names)})
        changes = [
            {
                "Action": "CREATE",
                "ResourceRecordSet": {
                    "Name": name,
                    "Type": "A",
                    "TTL": 60,
                    "ResourceRecords": [{"Value": "192.0.2.1"}],
                },
            }
            for name in names
            if f"A {name}" not in in_terraform
        ]
        client("route53").change_resource_record_sets(HostedZoneId=self.zone_id, ChangeBatch={"Changes": changes})

    def names(self, kind: str) -> dict[str, dict[str, Any]]:
        """The objects of a kind that kops' configuration has made: its name in Terraform -> attributes."""
        return {
            resource["name"]: resource["instances"][0]["attributes"]
            for resource in self._state()
            if resource["type"] == kind
        }

    def made(self, kind: str) -> list[dict[str, Any]]:
        """The attributes of every object of a kind that kops' configuration has made."""
        return list(self.names(kind).values())

    def kinds(self) -> set[str]:
        """The kinds of those objects, as Terraform names them."""
        return {resource["type"] for resource in self._state()}

    def _groups(self) -> dict[str, dict[str, Any]]:
        """The specification of each instance group by its name."""
        groups = [yaml.safe_load(text) for path, text in self.stored.items() if path.startswith("instancegroup/")]
        return {group["metadata"]["name"]: group["spec"] for group in groups}

    def _state(self) -> list[dict[str, Any]]:
        state: list[dict[str, Any]] = json.loads((self.directory / "terraform.tfstate").read_text())["resources"]
        return [resource for resource in state if resource["mode"] == "managed"]


def leave(case: Path, client: Callable[[str], Any], directory: Path) -> KopsCluster:
    """Store a case's cluster and write the configuration of its objects. client: boto3 clients by service."""
    for bucket in set(_STORES.values()):
        client("s3").create_bucket(Bucket=bucket)
    zone = client("route53").create_hosted_zone(Name="example.com", CallerReference=secrets.token_hex(4))
    zone_id = zone["HostedZone"]["Id"].rpartition("/")[2]
    (manifest,) = case.glob("in-v1alpha2.yaml")
    documents = list(yaml.safe_load_all(_placed(manifest.read_text(), zone_id)))
    cluster = next(document for document in documents if document["kind"] == "Cluster")
    name = cluster["metadata"]["name"]
    left = KopsCluster(name, f"s3://{_STORES['clusters.example.com']}", directory, zone_id)
    left.stored = {
        **_specification(documents),
        **_keysets(case.parents[1] / KEYSETS),
        **_public_key(case / "id_rsa.pub"),
        "secrets/dockerconfig": json.dumps({"Data": base64.b64encode(DOCKER_CONFIG).decode()}).encode(),
    }
    for path, content in left.stored.items():
        client("s3").put_object(Bucket=_STORES["clusters.example.com"], Key=f"{name}/{path}", Body=content)
    _write_configuration(case, directory, zone_id)
    return left


def _placed(text: str, zone_id: str) -> str:
    """A file of a case, where it names what the account has others of."""
    for host, bucket in _STORES.items():
        text = text.replace(f"memfs://{host}", f"s3://{bucket}")
    # AWS has another name for the hosts of this region.
    text = text.replace("us-test-1.compute.internal", "ec2.internal")
    text = _PLACEHOLDER.sub("clusters", text).replace("discovery.example.com", _ISSUER)
    return text.replace("us-test-1", REGION).replace("aws-test", "aws").replace(_ZONE, zone_id)


def _specification(documents: list[dict[str, Any]]) -> dict[str, bytes]:
    places = {"Cluster": "config", "InstanceGroup": "instancegroup/{name}"}
    return {
        places[document["kind"]].format(name=document["metadata"]["name"]): yaml.safe_dump(document).encode()
        for document in documents
    }


def _keysets(file: Path) -> dict[str, bytes]:
    """The keysets that kops' cases begin with, each in the form in which kops stores one."""
    found = {}
    for name, parts in yaml.safe_load(file.read_text()).items():
        keys = [_key(parts, rank) for rank in ("primary", "secondary") if f"{rank}Certificate" in parts]
        keyset = {
            "apiVersion": "kops.k8s.io/v1alpha2",
            "kind": "Keyset",
            "metadata": {"creationTimestamp": None, "name": name},
            "spec": {
                "keys": sorted(keys, key=lambda key: int(key["id"])),
                "primaryId": keys[0]["id"],
                "type": "Keypair",
            },
        }
        found[f"pki/private/{name}/keyset.yaml"] = yaml.safe_dump(keyset, width=10**6).encode()
    return found


def _key(parts: dict[str, str], rank: str) -> dict[str, str]:
    from cryptography import x509

    certificate, private = (f"{parts[rank + part].strip()}\n".encode() for part in ("Certificate", "Key"))
    return {
        "id": str(x509.load_pem_x509_certificate(certificate).serial_number),
        "privateMaterial": base64.b64encode(private).decode(),
        "publicMaterial": base64.b64encode(certificate).decode(),
    }


def _public_key(file: Path) -> dict[str, bytes]:
    import hashlib

    content = file.read_bytes()
    fingerprint = hashlib.md5(base64.b64decode(content.split()[1]), usedforsecurity=False).hexdigest()
    return {f"pki/ssh/public/admin/{fingerprint}": content}


def _write_configuration(case: Path, directory: Path, zone_id: str) -> None:
    """kops' configuration and the files that it reads."""
    text = (case / CONFIGURATION).read_text()
    text = _STORED.sub(_in_bucket, text)
    (directory / "data").mkdir(parents=True)
    (directory / CONFIGURATION).write_text(_placed(text, zone_id))
    for name in set(_REFERENCE.findall(text)):
        placed = _placed(name, zone_id)
        (directory / "data" / placed).write_text(_as_written(name, _placed(_content(case, name), zone_id)))


def _in_bucket(found: re.Match[str]) -> str:
    """The beginning of a file's block, where its store is a bucket; documents of an OIDC issuer are public."""
    bucket = _STORES[found.group(2)]
    public = '"\n  acl = "public-read' if bucket == "discovery" else ""
    return found.group(1).replace("testingBucket", f"{bucket}{public}")


def _content(case: Path, name: str) -> str:
    source = os.environ.get("KOPS_SOURCE", "")
    places = [case / "data" / name]
    if source:
        places.append(Path(source) / "tests" / "integration" / "update_cluster" / case.name / "data" / name)
    for path in places:
        if path.is_file():
            return path.read_text()
    if name.endswith("kops-version.txt_content"):
        return "1.34.0-beta.1\n"
    return f"#!/bin/bash\n# In place of kops' {name}\n"


def _as_written(name: str, text: str) -> str:
    """A file as kops writes it: its tests end every file with a line end, and have two buckets where a store is one."""
    if name.startswith("aws_iam_"):
        policy = json.loads(text)
        statements: list[Any] = []
        for statement in policy["Statement"]:
            if statement not in statements or "s3:" not in str(statement["Action"]):
                statements.append(statement)
        return json.dumps({**policy, "Statement": statements})
    return text if "apiVersion" in text else text.rstrip("\n")
