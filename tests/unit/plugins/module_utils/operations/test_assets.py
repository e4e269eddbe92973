# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The images and files of a stored cluster: which, for which architectures, and where they come from."""

from __future__ import annotations

import hashlib
import uuid
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.additional import AdditionalObject
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import region_of
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.operations import clouds
from ansible_collections.kubeops.kops.plugins.module_utils.operations.assets import read_assets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.golden.facts import update_cluster_facts

from tests.support import file_server

NAME = "small.example.com"
CLUSTER = f"""\
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  name: {NAME}
spec:
  cloudProvider: aws
  etcdClusters:
  - name: main
    etcdMembers:
    - name: a
      instanceGroup: control-plane
  iam: {{}}
  kubernetesVersion: 1.34.0
  networkCIDR: 172.20.0.0/16
  networking:
    calico: {{}}
  nonMasqueradeCIDR: 100.64.0.0/10
  subnets:
  - cidr: 172.20.32.0/19
    name: us-test-1a
    type: Public
    zone: us-test-1a
  topology:
    dns:
      type: None
"""
GROUP = """\
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata:
  name: {name}
  labels:
    kops.k8s.io/cluster: small.example.com
spec:
  image: ami-12345678
  machineType: {machine}
  role: {role}
  subnets: [us-test-1a]
"""
CONTROL_PLANE = GROUP.format(name="control-plane", machine="m5.large", role="Master")
DOWNLOADS = ["kubelet", "kubectl", "ecr-credential-provider", "containerd", "runc"]
# Of Calico's kinds.
DEFINITIONS = "crds"


class Provider:
    """AWS that answers as the golden cases assume."""

    def place(self, cluster: Any) -> Place:
        return Place(region_of(cluster))

    def open(self, place: Place, cluster_name: str) -> str:
        return place.region

    def facts(self, cloud: str) -> Any:
        return update_cluster_facts("aws")

    def explain(self, error: Exception) -> str:
        return f"the cloud says: {error}"


class MuteFacts:
    """A cloud that cannot be reached."""

    region = "us-test-1"

    def __getattr__(self, question: str) -> Any:
        raise ConnectionError(question)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(clouds.SUPPORTED, "aws", SimpleNamespace(provider=Provider))
    return f"memfs://{uuid.uuid4()}"


def put(store: str, cluster: str = CLUSTER, *groups: str) -> None:
    """Store a cluster with a control plane and the groups given."""
    found = ClusterStore.open(store, NAME)
    for text in (CONTROL_PLANE, *groups):
        found.write_group(manifest.load(text)[0])
    found.write_cluster(manifest.load(cluster)[0])


def with_spec(*lines: str) -> str:
    return CLUSTER + "".join(f"  {line}\n" for line in lines)


def images(result: dict[str, Any]) -> dict[str, str]:
    return {image["canonical"]: image["download"] for image in result["images"]}


def test_what_a_small_cluster_needs(store: str) -> None:
    put(store)
    result = read_assets(store, NAME)
    assert result["kubernetes_version"] == "1.34.0"
    found = [(file["kind"], file["architecture"]) for file in result["files"]]
    assert found == [*((kind, "amd64") for kind in DOWNLOADS), (DEFINITIONS, "")]
    kubelet = result["files"][0]
    assert kubelet["canonical"] == kubelet["download"] == "https://dl.k8s.io/release/v1.34.0/bin/linux/amd64/kubelet"
    assert kubelet["sha256"] == "5c0d28cea2a3a5c91861dda088a29d56c1b027e184dae1d792686f0710750076"
    assert kubelet["sha256_url"] == f"{kubelet['canonical']}.sha256"
    assert all(canonical == download for canonical, download in images(result).items())
    assert set(images(result)) >= {
        "registry.k8s.io/kube-apiserver:v1.34.0",
        "registry.k8s.io/kube-controller-manager:v1.34.0",
        "registry.k8s.io/kube-scheduler:v1.34.0",
        "registry.k8s.io/kube-proxy:v1.34.0",
        "registry.k8s.io/etcd:v3.6.12",
        "registry.k8s.io/pause:3.10.1",
        "registry.k8s.io/provider-aws/cloud-controller-manager:v1.36.1",
    }


def test_every_architecture_that_runs_nodes(store: str) -> None:
    arm = GROUP.format(name="arm", machine="m6g.xlarge", role="Node")
    # A bastion is no node.
    bastion = GROUP.format(name="bastions", machine="a1.large", role="Bastion")
    put(store, CLUSTER, bastion)
    assert read_assets(store, NAME)["architectures"] == ["amd64"]
    put(store, CLUSTER, arm)
    result = read_assets(store, NAME)
    assert result["architectures"] == ["amd64", "arm64"]
    assert len(result["files"]) == 2 * len(DOWNLOADS) + 1
    assert result["files"][-2]["canonical"].endswith("/runc.arm64")


def test_places_of_ones_own(store: str) -> None:
    put(
        store,
        with_spec(
            "assets: {containerRegistry: registry.example.com/kops, fileRepository: 'https://files.example.com/mirror'}"
        ),
    )
    result = read_assets(store, NAME)
    found = images(result)
    assert found["registry.k8s.io/kube-proxy:v1.34.0"] == "registry.example.com/kops/kube-proxy:v1.34.0"
    assert found["registry.k8s.io/pause:3.10.1"] == "registry.example.com/kops/pause:3.10.1"
    assert found["registry.k8s.io/provider-aws/cloud-controller-manager:v1.36.1"] == (
        "registry.example.com/kops/provider-aws-cloud-controller-manager:v1.36.1"
    )
    assert all(download.startswith("registry.example.com/kops/") for download in found.values())
    containerd = next(file for file in result["files"] if file["kind"] == "containerd")
    path = "containerd/containerd/releases/download/v2.3.4/containerd-2.3.4-linux-amd64.tar.gz"
    assert containerd["canonical"] == f"https://github.com/{path}"
    assert containerd["download"] == f"https://files.example.com/mirror/{path}"
    # The publisher's, as the mirror may still be empty.
    assert containerd["sha256_url"] == f"https://github.com/{path}.sha256sum"


def test_proxy_for_images(store: str) -> None:
    put(store, with_spec("assets: {containerProxy: proxy.example.com}"))
    result = read_assets(store, NAME)
    assert images(result)["registry.k8s.io/etcd:v3.6.12"] == "proxy.example.com/etcd:v3.6.12"
    assert all(file["download"] == file["canonical"] for file in result["files"])


def test_only_what_is_switched_on(store: str) -> None:
    detector = "registry.k8s.io/node-problem-detector/node-problem-detector:v0.8.18"
    put(store, with_spec("nodeProblemDetector: {enabled: false}", "kubeProxy: {enabled: false}"))
    found = images(read_assets(store, NAME))
    assert detector not in found
    assert "registry.k8s.io/kube-proxy:v1.34.0" not in found
    # The node-local cache of DNS has an image in every complete specification.
    assert not any("k8s-dns-node-cache" in image for image in found)
    put(store, with_spec("nodeProblemDetector: {enabled: true}", "kubeDNS: {nodeLocalDNS: {enabled: true}}"))
    found = images(read_assets(store, NAME))
    assert detector in found
    assert any("k8s-dns-node-cache" in image for image in found)


def test_images_of_the_addons_that_are_installed(store: str) -> None:
    flannel = CLUSTER.replace("calico: {}", "flannel: {}")
    put(store, flannel + "  assets: {containerRegistry: registry.example.com}\n")
    pod = {"containers": [{"name": "agent", "image": "quay.io/example/agent:3"}]}
    own = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "agent"}, "spec": pod}
    ClusterStore.open(store, NAME).write_additional_objects([AdditionalObject(own)])
    result = read_assets(store, NAME)
    found = images(result)
    for image in ("/flannel:", "/flannel-cni-plugin:", "/coredns:"):
        (name,) = (each for each in found if image in each)
        assert found[name].startswith("registry.example.com/"), name
    # As the user's object says it.
    assert found["quay.io/example/agent:3"] == "quay.io/example/agent:3"


def test_channels_of_addons(store: str) -> None:
    """They are read from the mirror, or where they are published as long as it does not have them."""
    manifest = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: example.com/web:1}]}\n"
    )
    with file_server.running() as (url, server), file_server.running() as (mirror, mirrored):
        server.files["/x/addon.yaml"] = "kind: Addons\nspec: {addons: [{name: web, manifest: web.yaml}]}\n"
        server.files["/x/web.yaml"] = manifest
        assets = f"assets: {{containerRegistry: registry.example.com, fileRepository: '{mirror}/files'}}"
        put(store, with_spec(f"addons: [{{manifest: '{url}/x/addon.yaml'}}]", assets).replace("calico", "kubenet"))
        result = read_assets(store, NAME)
        assert len(mirrored.asked) == 2
        mirrored.files.update({f"/files{path}": text for path, text in server.files.items()})
        server.files.clear()
        assert read_assets(store, NAME) == result
    assert images(result)["example.com/web:1"] == "registry.example.com/example.com-web:1"
    found = [file for file in result["files"] if file["kind"] == "channel"]
    assert [(file["canonical"], file["download"]) for file in found] == [
        (f"{url}/x/{name}.yaml", f"{mirror}/files/x/{name}.yaml") for name in ("addon", "web")
    ]
    assert found[1]["sha256"] == hashlib.sha256(manifest.encode()).hexdigest()


def test_images_that_the_specification_names_itself(store: str) -> None:
    group = GROUP.format(name="warm", machine="m5.large", role="Node") + (
        "  warmPool: {additionalImages: [docker.io/library/app:1]}\n"
        "  hooks:\n  - {name: tune, execContainer: {image: quay.io/example/tune:2}}\n"
    )
    put(store, with_spec("assets: {containerRegistry: registry.example.com}"), group)
    found = images(read_assets(store, NAME))
    assert found["docker.io/library/app:1"] == "registry.example.com/docker.io-library-app:1"
    # A hook's container is started by the node itself, with the image as it is written.
    assert found["quay.io/example/tune:2"] == "quay.io/example/tune:2"
    assert "ami-12345678" not in found


def test_etcd_of_an_older_patch_and_of_ones_own(store: str) -> None:
    put(store, CLUSTER.replace("- name: main", "- name: main\n    version: 3.5.9"))
    assert "registry.k8s.io/etcd:v3.5.31" in images(read_assets(store, NAME))
    put(store, CLUSTER.replace("- name: main", "- name: main\n    version: 3.4.0\n    image: example.com/etcd:3.4"))
    found = [image for image in images(read_assets(store, NAME)) if "etcd" in image]
    assert found == ["example.com/etcd:3.4"]


def test_extra_files(store: str) -> None:
    containerd = "containerd: {installCriCtl: true, installNerdCtl: true, version: 2.1.4, runc: {version: 1.3.0}}"
    put(store, with_spec(containerd).replace("calico", "kubenet"))
    files = {file["kind"]: file["canonical"] for file in read_assets(store, NAME)["files"]}
    assert files["containerd"].endswith("/v2.1.4/containerd-2.1.4-linux-amd64.tar.gz")
    assert files["runc"].endswith("/v1.3.0/runc.amd64")
    assert files["cni-plugins"].endswith("/v1.7.1/cni-plugins-linux-amd64-v1.7.1.tgz")
    assert {"nerdctl", "crictl"} <= files.keys()
    put(store, with_spec("containerd: {skipInstall: true}"))
    assert {file["kind"] for file in read_assets(store, NAME)["files"]} == {*DOWNLOADS, DEFINITIONS} - {
        "containerd",
        "runc",
    }


def test_packages_of_ones_own(store: str) -> None:
    digest = "a" * 64
    package = f"packages: {{urlAmd64: 'https://example.com/c.tar.gz', hashAmd64: 'sha256:{digest}'}}"
    put(store, with_spec(f"containerd: {{version: 2.1.4, {package}, runc: {{version: 1.3.0}}}}"))
    containerd = next(file for file in read_assets(store, NAME)["files"] if file["kind"] == "containerd")
    assert containerd["canonical"] == "https://example.com/c.tar.gz"
    assert (containerd["sha256"], containerd["sha256_url"]) == (digest, None)


def test_a_containerd_of_ones_own_needs_its_runc(store: str) -> None:
    put(store, with_spec("containerd: {version: 2.1.4}"))
    with pytest.raises(ValidationError, match=r"spec\.containerd\.runc\.version: must be given"):
        read_assets(store, NAME)


def test_a_build_of_kubernetes_brings_its_images_as_files(store: str) -> None:
    build = "https://example.com/ci/v1.34.0-alpha.1+abc"
    put(store, CLUSTER.replace("kubernetesVersion: 1.34.0", f"kubernetesVersion: {build}"))
    result = read_assets(store, NAME)
    files = [file["canonical"] for file in result["files"]]
    assert f"{build}/bin/linux/amd64/kubelet" in files
    assert f"{build}/bin/linux/amd64/kube-apiserver.tar" in files
    assert result["files"][0]["sha256"] is None
    assert result["files"][0]["sha256_url"] == f"{build}/bin/linux/amd64/kubelet.sha256"
    assert not any("kube-apiserver" in image for image in images(result))


def test_without_the_cloud_where_the_architectures_are_given(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store)
    monkeypatch.setattr(Provider, "facts", lambda self, cloud: MuteFacts())
    assert read_assets(store, NAME, ["arm64"])["architectures"] == ["arm64"]
    with pytest.raises(KopsError, match="the cloud says: instance_type"):
        read_assets(store, NAME)


def test_cni_plugins_of_ones_own(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def plugins() -> dict[str, Any]:
        files = {file["kind"]: file for file in read_assets(store, NAME)["files"]}
        return files["cni-plugins"]

    put(store, CLUSTER.replace("calico", "kubenet"))
    monkeypatch.setenv("CNI_VERSION_URL", "https://files.example.com/plugins.tgz")
    assert "v1.7.1" in plugins()["canonical"], "without its checksum a URL counts for nothing"
    monkeypatch.setenv("CNI_ASSET_HASH_STRING", f"sha256:{'ab' * 32}")
    assert plugins()["canonical"] == "https://files.example.com/plugins.tgz"
    assert plugins()["sha256"] == "ab" * 32


def test_a_credential_provider_of_ones_own(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store)
    monkeypatch.setenv("CREDENTIAL_PROVIDER_LOCATION", "https://files.example.com/aws/v1.31.7-ours")
    files = {
        file["architecture"]: file for file in read_assets(store, NAME, ["arm64"])["files"] if "ecr" in file["kind"]
    }
    url = "https://files.example.com/aws/v1.31.7-ours/linux/arm64/ecr-credential-provider-linux-arm64"
    assert (files["arm64"]["canonical"], files["arm64"]["sha256_url"]) == (url, f"{url}.sha256")
