# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion between v1alpha2, the hub and v1alpha3, and that v1alpha2 has every field of kops' own schema."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.scalars import (
    Duration,
    FileText,
    Int16,
    Int32,
    IntOrString,
    Quantity,
    UInt8,
    UInt32,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.shapes import (
    Free,
    ListOf,
    MapOf,
    Shape,
    Struct,
    shape_of,
    struct_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.v1alpha2.conversion import KINDS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError


def cluster(spec: dict[str, Any], version: str = "v1alpha2") -> dict[str, Any]:
    return {"apiVersion": f"kops.k8s.io/{version}", "kind": "Cluster", "metadata": {"name": "a.b"}, "spec": spec}


def group(spec: dict[str, Any], version: str = "v1alpha2") -> dict[str, Any]:
    return {"apiVersion": f"kops.k8s.io/{version}", "kind": "InstanceGroup", "metadata": {"name": "g"}, "spec": spec}


def converted(data: dict[str, Any], version: str) -> dict[str, Any]:
    return manifest.to_data(manifest.from_data(data), version)["spec"]


def contains(whole: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and contains(whole[key], part[key]) for key in part)
    return bool(whole == part)


SPECS = [
    (
        {"configBase": "s3://b", "keyStore": "s3://k", "secretStore": "s3://s"},
        {"configStore": {"base": "s3://b", "keypairs": "s3://k", "secrets": "s3://s"}},
    ),
    (
        {"masterPublicName": "api.a.b", "additionalSans": ["x"], "kubernetesApiAccess": ["::/0"]},
        {"api": {"publicName": "api.a.b", "additionalSANs": ["x"], "access": ["::/0"]}},
    ),
    (
        {"networkCIDR": "10.0.0.0/8", "networkID": "vpc-1", "podCIDR": "100.64.0.0/10"},
        {"networking": {"networkCIDR": "10.0.0.0/8", "networkID": "vpc-1", "podCIDR": "100.64.0.0/10"}},
    ),
    (
        {"isolateMasters": False, "DisableSubnetTags": True},
        {"networking": {"isolateControlPlane": False, "tagSubnets": False}},
    ),
    (
        {"topology": {"dns": {"type": "Private"}, "bastion": {"bastionPublicName": "x"}}},
        {"networking": {"topology": {"dns": "Private", "bastion": {"publicName": "x"}}}},
    ),
    ({"networking": {"amazonvpc": {"imageName": "x"}}}, {"networking": {"amazonVPC": {"image": "x"}}}),
    ({"networking": {"gce": {}}}, {"networking": {"gcp": {}}}),
    (
        {"networking": {"cilium": {"disableMasquerade": False, "IPTablesRulesNoinstall": True}}},
        {"networking": {"cilium": {"masquerade": True, "installIptablesRules": False}}},
    ),
    (
        {"networking": {"canal": {"disableFlannelForwardRules": True}}},
        {"networking": {"canal": {"flanneldIptablesForwardRules": False}}},
    ),
    ({"networking": {"flannel": {"backend": "udp"}}}, {"networking": {"flannel": {"backend": "udp"}}}),
    ({"externalDns": {"disable": True}}, {"externalDNS": {"provider": "none"}}),
    (
        {"additionalPolicies": {"master": "[]", "node": "[]"}},
        {"additionalPolicies": {"control-plane": "[]", "node": "[]"}},
    ),
    ({"externalPolicies": {"master": ["a"]}}, {"externalPolicies": {"control-plane": ["a"]}}),
    (
        {"hooks": [{"name": "h", "disabled": True, "roles": ["Master", "Node"]}]},
        {"hooks": [{"name": "h", "enabled": False, "roles": ["ControlPlane", "Node"]}]},
    ),
    ({"masterKubelet": {"cpuCFSQuota": True}}, {"controlPlaneKubelet": {"cpuCFSQuota": True}}),
    (
        {
            "kubeAPIServer": {
                "oidcClientID": "c",
                "oidcGroupsClaim": "g,h",
                "oidcRequiredClaim": ["a=b", "c=d=e"],
                "oidcIssuerURL": "https://i",
            }
        },
        {
            "authentication": {
                "oidc": {
                    "clientID": "c",
                    "groupsClaims": ["g", "h"],
                    "requiredClaims": {"a": "b", "c": "d=e"},
                    "issuerURL": "https://i",
                }
            }
        },
    ),
    (
        {
            "cloudProvider": "aws",
            "warmPool": {"minSize": 1},
            "cloudConfig": {
                "awsEBSCSIDriver": {"managed": True},
                "nodeIPFamilies": ["ipv6"],
                "useIPBasedNodeNames": False,
            },
        },
        {
            "cloudProvider": {
                "aws": {
                    "warmPool": {"minSize": 1},
                    "ebsCSIDriver": {"managed": True},
                    "nodeIPFamilies": ["ipv6"],
                    "useIPBasedNodeNames": False,
                }
            }
        },
    ),
    (
        {
            "cloudProvider": "gce",
            "project": "p",
            "cloudConfig": {"multizone": True, "gcpPDCSIDriver": {"enabled": True}},
        },
        {"cloudProvider": {"gce": {"project": "p", "multizone": True, "pdCSIDriver": {"enabled": True}}}},
    ),
    (
        {"cloudProvider": "azure", "cloudConfig": {"azure": {"tenantId": "t"}}},
        {"cloudProvider": {"azure": {"tenantID": "t"}}},
    ),
    (
        {"cloudProvider": "openstack", "cloudConfig": {"openstack": {"loadbalancer": {"method": "m"}}}},
        {"cloudProvider": {"openstack": {"loadbalancer": {"method": "m"}}}},
    ),
    ({"cloudProvider": "digitalocean"}, {"cloudProvider": {"do": {}}}),
    ({"cloudProvider": "hetzner"}, {"cloudProvider": {"hetzner": {}}}),
    ({"karpenter": {"logEncoding": "json"}}, {"karpenter": {"logEncoding": "json"}}),
]


@pytest.mark.parametrize(("old", "new"), SPECS)
def test_a_cluster_in_both_versions(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert contains(converted(cluster(old), "v1alpha3"), new)
    assert contains(converted(cluster(old), "v1alpha2"), old)
    assert contains(converted(cluster(new, "v1alpha3"), "v1alpha2"), old)


GROUPS = [
    ({"role": "Master"}, {"role": "ControlPlane"}),
    ({"role": "Node", "associatePublicIp": True}, {"role": "Node", "associatePublicIP": True}),
    (
        {"rootVolumeSize": 33, "rootVolumeIops": 300, "rootVolumeEncryption": False, "rootVolumeEncryptionKey": "k"},
        {"rootVolume": {"size": 33, "iops": 300, "encryption": False, "encryptionKey": "k"}},
    ),
    ({"externalLoadBalancers": [{"targetGroupArn": "a"}]}, {"externalLoadBalancers": [{"targetGroupARN": "a"}]}),
    ({"hooks": [{"disabled": False, "roles": ["Master"]}]}, {"hooks": [{"enabled": True, "roles": ["ControlPlane"]}]}),
]


@pytest.mark.parametrize(("old", "new"), GROUPS)
def test_an_instance_group_in_both_versions(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert converted(group(old), "v1alpha3") == new
    assert converted(group(old), "v1alpha2") == old
    assert converted(group(new, "v1alpha3"), "v1alpha2") == old


def test_a_keyset_names_its_primary_differently() -> None:
    data = {"apiVersion": "kops.k8s.io/v1alpha2", "kind": "Keyset", "metadata": {}, "spec": {"primaryId": "7"}}
    assert converted(data, "v1alpha3") == {"primaryID": "7"}


def test_defaults_of_reading() -> None:
    assert converted(cluster({}), "v1alpha2") == {
        "authorization": {"rbac": {}},
        "topology": {"dns": {"type": "Public"}},
    }
    assert contains(
        converted(cluster({}, "v1alpha3"), "v1alpha3"),
        {"authorization": {"rbac": {}}, "networking": {"topology": {"dns": "Public"}}},
    )


def test_defaults_leave_what_is_said() -> None:
    spec = {"authorization": {"alwaysAllow": {}}, "topology": {"dns": {"type": "None"}}}
    assert converted(cluster(spec), "v1alpha2") == spec


@pytest.mark.parametrize("version", ["v1alpha2", "v1alpha3"])
def test_flannel_without_a_backend_means_udp(version: str) -> None:
    assert converted(cluster({"networking": {"flannel": {}}}, version), version)["networking"]["flannel"] == {
        "backend": "udp"
    }


def test_a_required_claim_without_a_value_is_refused() -> None:
    with pytest.raises(ValidationError) as caught:
        manifest.from_data(cluster({"kubeAPIServer": {"oidcRequiredClaim": ["a"]}}))
    assert [error.path for error in caught.value.errors] == ["spec.kubeAPIServer.oidcRequiredClaim[0]"]


def test_old_names_of_vsphere_are_understood() -> None:
    """kops had them until 1.19; they are written as the part that is ours."""
    old = {"vSphereServer": "vc", "vSphereDatacenter": "dc", "vSphereResourcePool": "p", "vSphereDatastore": "ds"}
    new = {"server": "vc", "datacenter": "dc", "resourcePool": "p", "datastore": "ds"}
    given = cluster({"cloudProvider": "vsphere", "cloudConfig": {**old, "vsphere": {"network": "n", "server": "vc"}}})
    assert converted(given, "v1alpha3")["cloudProvider"] == {"vsphere": {**new, "network": "n"}}
    assert converted(given, "v1alpha2")["cloudConfig"] == {"vsphere": {**new, "network": "n"}}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"vSpherePassword": "secret-of-theirs"}, "spec.cloudConfig.vSpherePassword.*the environment has the login"),
        ({"vSphereUsername": "u"}, "spec.cloudConfig.vSphereUsername.*the environment has the login"),
        ({"vSphereCoreDNSServer": "x"}, "spec.cloudConfig.vSphereCoreDNSServer.*names are in DNS already"),
        ({"vSphereServer": "a", "vsphere": {"server": "b"}}, "contradicts spec.cloudConfig.vsphere, which says b"),
    ],
)
def test_old_names_of_vsphere_that_mean_nothing_now(config: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValidationError, match=expected) as refusal:
        manifest.from_data(cluster({"cloudProvider": "vsphere", "cloudConfig": config}))
    assert "secret-of-theirs" not in str(refusal.value)


def test_converting_changes_nothing_in_the_source() -> None:
    hub = manifest.from_data(cluster({"cloudLabels": {"a": "b"}, "sshAccess": ["::/0"]}))
    before = manifest.dump(hub)
    manifest.to_data(hub)["spec"]["sshAccess"].append("x")
    manifest.to_data(hub, "v1alpha3")["spec"]["cloudLabels"]["c"] = "d"
    assert manifest.dump(hub) == before


# --- kops' schema

SCALARS = {
    "string": [shape_of(str), shape_of(FileText), shape_of(Duration)],
    "boolean": [shape_of(bool)],
}
INTEGERS = {
    "": [shape_of(int), shape_of(UInt8), shape_of(Int16)],  # Go's int, uint8 and int16
    "int32": [shape_of(Int32), shape_of(UInt8), shape_of(UInt32)],
    "int64": [shape_of(int)],
}


def differences(schema: dict[str, Any], shape: Shape, path: str) -> Iterator[str]:
    """What of a JSON schema our type lacks, has beyond it or has with another type."""
    if isinstance(shape, Free):
        return
    if schema.get("x-kubernetes-int-or-string"):
        if shape not in (shape_of(Quantity), shape_of(IntOrString)):
            yield f"{path}: {shape.expected} instead of number or text"
    elif schema["type"] == "array" and isinstance(shape, ListOf):
        yield from differences(schema["items"], shape.item, f"{path}[]")
    elif "additionalProperties" in schema and isinstance(shape, MapOf):
        yield from differences(schema["additionalProperties"], shape.value, f"{path}[*]")
    elif schema["type"] == "object" and isinstance(shape, Struct) and "additionalProperties" not in schema:
        properties = schema.get("properties", {})
        yield from (f"{path}.{key}: unknown to the schema" for key in shape.by_key if key not in properties)
        for key, below in properties.items():
            field = shape.by_key.get(key)
            if field is None:
                yield f"{path}.{key}: missing"
            else:
                yield from differences(below, field.shape, f"{path}.{key}")
    elif schema["type"] == "integer" and "whole" in shape.expected:
        if shape not in INTEGERS[schema.get("format", "")]:
            yield f"{path}: {shape} instead of {schema.get('format')}"
    elif shape not in SCALARS.get(schema["type"], []):
        yield f"{path}: {shape.expected} instead of {schema['type']}"


def test_v1alpha2_has_exactly_the_fields_of_kops_schema(golden: Path) -> None:
    kinds = []
    for path in sorted((golden / "facts" / "crds").glob("*.yaml")):
        definition = yaml.safe_load(path.read_text())["spec"]
        kinds.append(definition["names"]["kind"])
        own = struct_of(KINDS[kinds[-1]][0])
        for version in definition["versions"]:
            schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
            # kops has had no vSphere since 1.19: only this part is ours.
            ours = ["Cluster.spec.cloudConfig.vsphere: unknown to the schema"] if kinds[-1] == "Cluster" else []
            assert list(differences(schema, own.by_key["spec"].shape, f"{kinds[-1]}.spec")) == ours
    assert sorted(kinds) == sorted(KINDS)


def test_the_schema_check_sees_differences() -> None:
    schema = {
        "type": "object",
        "properties": {"maxSize": {"type": "string"}, "subnets": {"type": "object"}, "new": {"type": "string"}},
    }
    found = list(differences(schema, struct_of(KINDS["InstanceGroup"][0]).by_key["spec"].shape, "spec"))
    assert "spec.maxSize: a whole number instead of string" in found
    assert "spec.subnets: a list instead of object" in found
    assert "spec.new: missing" in found
    assert "spec.minSize: unknown to the schema" in found


# --- kops' cases


def test_every_version_gives_every_other_one_as_text(golden: Path) -> None:
    sources = sorted((golden / "conversion").glob("*/*.yaml"))
    assert sources
    for source in sources:
        objects = manifest.load(source.read_text(), source=source.name)
        for version in ("v1alpha2", "v1alpha3"):
            assert manifest.dump_all(objects, version) == source.with_name(f"{version}.yaml").read_text(), source


def test_what_kops_accepts_is_read(golden: Path) -> None:
    sources = sorted(golden.glob("update_cluster/*/in-*.yaml"))
    assert sources
    for source in sources:
        assert manifest.load(source.read_text(), source=source.name, ignored=[])
