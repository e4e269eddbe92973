# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests: texts of several objects in, hub objects out, and back as kops writes them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.additional import AdditionalObject
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.host import Host
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.api.keyset import Keyset
from ansible_collections.kubeops.kops.plugins.module_utils.api.ssh_credential import SSHCredential
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ManifestError, ValidationError

CLUSTER = """\
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  name: minimal.example.com
spec:
  api:
    dns: {}
  authorization:
    rbac: {}
  cloudProvider: aws
  topology:
    dns:
      type: Public
"""
GROUP = """\
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata:
  labels:
    kops.k8s.io/cluster: minimal.example.com
  name: nodes
spec:
  maxSize: 2
  role: Node
"""
CONFIG_MAP = """\
apiVersion: v1
data:
  key: value
kind: ConfigMap
metadata:
  name: extra
"""


def refusal(text: str) -> list[str]:
    with pytest.raises(ManifestError) as caught:
        manifest.load(text, source="cluster.yaml")
    return str(caught.value).splitlines()


def test_several_objects_there_and_back() -> None:
    text = "\n---\n\n".join([CLUSTER, GROUP, CONFIG_MAP])
    objects = manifest.load(text)
    assert [type(found) for found in objects] == [Cluster, InstanceGroup, AdditionalObject]
    assert (objects[2].api_version, objects[2].kind, objects[2].name) == ("v1", "ConfigMap", "extra")
    assert manifest.dump_all(objects) == text


@pytest.mark.parametrize("cls", [Keyset, SSHCredential, Host])
@pytest.mark.parametrize("version", ["v1alpha2", "v1alpha3"])
def test_the_other_kinds(cls: type, version: str) -> None:
    written = manifest.dump(cls(), version)
    assert written == f"apiVersion: kops.k8s.io/{version}\nkind: {cls.__name__}\nmetadata: {{}}\nspec: {{}}\n"
    assert manifest.load(written) == [cls()]


def test_the_legacy_group_is_read_and_the_new_one_written() -> None:
    objects = manifest.load(CLUSTER.replace("kops.k8s.io/", "kops/", 1))
    assert manifest.dump_all(objects) == CLUSTER


def test_plain_data_serves_as_well_as_text() -> None:
    cluster = manifest.load(CLUSTER)[0]
    assert manifest.from_data(manifest.to_data(cluster)) == cluster


def test_no_document_is_no_object() -> None:
    assert manifest.load("\n---\n# nothing\n---\n") == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("just text", "expected a mapping with apiVersion and kind"),
        ("- a", "expected a mapping with apiVersion and kind"),
        ("kind: Cluster", "apiVersion is missing"),
        ("apiversion: kops.k8s.io/v1alpha2\nkind: Cluster", "apiVersion is missing; did you mean apiversion?"),
        ("apiVersion: kops.k8s.io/v1alpha2", "kind is missing"),
        ("apiVersion: kops.k8s.io/v1alpha2\nkind: 1", "kind: expected text"),
        ("apiVersion: 2\nkind: Cluster", "apiVersion: expected text"),
        (
            "apiVersion: kops.k8s.io/v1alpha4\nkind: Cluster",
            "apiVersion: unknown version kops.k8s.io/v1alpha4; did you mean kops.k8s.io/v1alpha3?",
        ),
        (
            "apiVersion: kop.k8s.io/v1alpha2\nkind: Cluster",
            "apiVersion: unknown version kop.k8s.io/v1alpha2; did you mean kops.k8s.io/v1alpha2?",
        ),
        (
            "apiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGrop",
            "kind: unknown kind InstanceGrop; did you mean InstanceGroup?; kinds of kops.k8s.io/v1alpha2 are "
            "Cluster, Host, InstanceGroup, Keyset, SSHCredential",
        ),
        (CLUSTER + "  kubeProxi: {}\n", "spec.kubeProxi: unknown field; did you mean kubeProxy?"),
        (
            CLUSTER + "  kubernetesVersion: 1.33\n",
            "spec.kubernetesVersion: expected text, not a number; put it in quotes",
        ),
        (CLUSTER + "  isolateMasters: 'yes'\n", "spec.isolateMasters: expected true or false, not the text 'yes'"),
        (CLUSTER + "  subnets:\n  - {nam: a}\n", "spec.subnets[0].nam: unknown field; did you mean name?"),
        (CLUSTER + "status: {}\n", "status: unknown field"),
    ],
)
def test_what_is_refused(text: str, problem: str) -> None:
    assert [re.sub(r", line \d+", "", line) for line in refusal(text)] == [f"cluster.yaml, document 1: {problem}"]


def test_a_duplicate_key_is_refused() -> None:
    assert refusal(CLUSTER + "  cloudProvider: gce\n") == [
        "cluster.yaml, document 1, line 14: spec.cloudProvider: the key is there twice, first in line 10"
    ]


def test_text_that_is_not_yaml_is_refused() -> None:
    assert refusal(CLUSTER + "\t: {")[0].startswith("cluster.yaml, document 1, line 14, column 1: this is not YAML: ")


def test_problems_of_all_documents_are_told_at_once() -> None:
    text = "\n---\n".join([CLUSTER + "  a: 1\n  cloudProvider: x\n", "", GROUP + "  maxsize: 1\n  taints: x\n"])
    assert refusal(text) == [
        "cluster.yaml, document 1, line 15: spec.cloudProvider: the key is there twice, first in line 10",
        "cluster.yaml, document 1, line 14: spec.a: unknown field",
        "cluster.yaml, document 3, line 29: spec.maxsize: unknown field; did you mean maxSize?",
        "cluster.yaml, document 3, line 30: spec.taints: expected a list, not the text 'x'",
    ]


def test_many_documents_with_problems_are_not_read_again_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    compose_all, reads = yaml.compose_all, []

    def counted(*given: Any, **more: Any) -> Any:
        reads.append(given)
        return compose_all(*given, **more)

    monkeypatch.setattr(yaml, "compose_all", counted)
    groups = [GROUP + f"  taints: x{number}\n" for number in range(50)]
    told = refusal("\n---\n".join([*groups, "a: ["]))
    assert [line.split(", ")[1] for line in told] == ["document 51", *(f"document {number}" for number in range(1, 51))]
    assert all(re.search(r", line \d+: spec.taints: expected a list", line) for line in told[1:])
    assert len(reads) == 2


def test_unknown_fields_of_a_stored_object_are_named_and_ignored() -> None:
    ignored: list[str] = []
    objects = manifest.load(CLUSTER + "  serviceOIDCProvider: {}\n", source="config", ignored=ignored)
    assert ignored == ["config, document 1: spec.serviceOIDCProvider"]
    assert manifest.dump_all(objects) == CLUSTER


def test_wrong_types_are_refused_even_there() -> None:
    with pytest.raises(ManifestError, match="spec.sshAccess: expected a list"):
        manifest.load(CLUSTER + "  sshAccess: x\n", ignored=[])


def test_settings_of_another_cloud_are_refused() -> None:
    text = (
        CLUSTER.replace("cloudProvider: aws", "cloudProvider: gce")
        + "  warmPool: {}\n  cloudConfig: {spotinstProduct: x}\n"
    )
    with pytest.raises(ValidationError) as caught:
        manifest.load(text, source="cluster.yaml")
    assert caught.value.subject == "cluster.yaml, document 1"
    assert [(error.type, error.path) for error in caught.value.errors] == [
        ("Forbidden", "spec.cloudConfig.spotinstProduct"),
        ("Forbidden", "spec.warmPool"),
    ]


def test_an_unknown_cloud_is_refused() -> None:
    with pytest.raises(ValidationError) as caught:
        manifest.from_data({**manifest.to_data(manifest.load(CLUSTER)[0]), "spec": {"cloudProvider": "awz"}})
    assert [(error.type, error.path) for error in caught.value.errors] == [("NotSupported", "spec.cloudProvider")]
    assert "did you mean aws?" in str(caught.value)


def texts(golden: Path) -> list[Path]:
    return sorted(
        [
            *golden.glob("create_cluster/*/expected-v1alpha2.yaml"),
            *golden.glob("update_cluster/*/data/*cluster-completed.spec_content"),
            *golden.glob("conversion/*/v1alpha[23].yaml"),
        ]
    )


def test_what_kops_wrote_is_written_again_byte_for_byte(golden: Path) -> None:
    found = texts(golden)
    assert found
    for path in found:
        text = path.read_text()
        version = path.stem if path.stem == "v1alpha3" else "v1alpha2"
        assert manifest.dump_all(manifest.load(text, source=str(path)), version) == text, path


READ_AND_LIST = """
import sys
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
manifest.load(sys.stdin.read())
print(any(".v1alpha3" in name for name in sys.modules))
"""


@pytest.mark.parametrize("version", ["v1alpha2", "v1alpha3"])
def test_the_types_of_v1alpha3_are_loaded_for_its_manifests_only(version: str) -> None:
    text = GROUP.replace("v1alpha2", version)
    done = subprocess.run([sys.executable, "-c", READ_AND_LIST], input=text, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(version == "v1alpha3")
