# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addons of channels beside those of this collection: read by URL, marked, and never in each other's way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import Addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.index import index_text
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import Addons, addons_of
from ansible_collections.kubeops.kops.plugins.module_utils.addons.upstream import LOCK, FilesError, lock_text
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import AddonSpec, AssetsSpec, Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.upstream_files import UpstreamFiles
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import Tree

from tests.support import file_server
from tests.support.file_server import FileServer

CHANNEL = """
kind: Addons
metadata: {name: example}
spec:
  addons:
  - name: web.example.com
    manifest: web/v1.yaml
    needsRollingUpdate: workers
    needsPKI: true
    prune: {kinds: [{kind: ConfigMap, namespaces: [web], labelSelector: "app=web"}]}
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n"
WEB = f"""{NAMESPACE}---
apiVersion: batch/v1
kind: CronJob
metadata: {{name: web, namespace: web, annotations: {{theirs: "1"}}}}
spec:
  schedule: "0 0 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          containers: [{{name: web, image: docker.io/library/web:1}}]
"""
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: web}\ndata: {a: b}\n"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)


class Publisher:
    """A server of channels, and a state store that remembers what was read."""

    def __init__(self, url: str, server: type[FileServer], cluster: Cluster, store: Path) -> None:
        self.url, self.server, self.cluster, self.store = url, server, cluster, store
        server.files.update({"/addon.yaml": CHANNEL, "/web/v1.yaml": WEB})

    def addons(self, *manifests: str, keep: bool = False, **pinned: str) -> Addons:
        """The cluster's addons with these entries of spec.addons. keep: as an update does."""
        self.cluster.spec.addons = [AddonSpec(manifest=manifest) for manifest in manifests]
        directory = open_path(f"file://{self.store}")
        read = UpstreamFiles(directory, Tree.of(directory), self.cluster.spec.assets, pinned).read
        found = addons_of(AddonContext(self.cluster, []), read)
        if keep:
            for file in found.upstream:
                directory.join(file.location).write(file.data)
            directory.join(LOCK).write(lock_text(found.upstream).encode())
        return found

    def addon(self, **options: bool) -> Addon:
        (addon,) = self.addons(f"{self.url}/addon.yaml", **options).of_channels
        return addon

    def problems(self, *manifests: str, **pinned: str) -> list[str]:
        with pytest.raises(FilesError) as caught:
            self.addons(*manifests, **pinned)
        header, *lines = str(caught.value).splitlines()
        assert header == "files of addons cannot be used, so nothing is changed:"
        return [line.replace(self.url, "") for line in lines]


@pytest.fixture(name="publisher")
def start_publisher(cluster: Cluster, tmp_path: Path) -> Iterator[Publisher]:
    with file_server.running() as (url, server):
        yield Publisher(url, server, cluster, tmp_path)


def test_an_addon_of_a_channel(publisher: Publisher) -> None:
    found = publisher.addons(f"{publisher.url}/addon.yaml")
    (addon,) = found.of_channels
    assert (addon.name, addon.channel, addon.location) == (
        "web.example.com",
        f"{publisher.url}/addon.yaml",
        "web.example.com/channel.yaml",
    )
    assert (addon.needs_pki, addon.needs_rolling_update) == (True, "workers")
    namespace, job = addon.objects
    assert namespace["metadata"] == {"name": "web", "annotations": {"kubeops.kops/addon": "web.example.com"}}
    assert job["metadata"]["annotations"] == {"theirs": "1", "kubeops.kops/addon": "web.example.com"}
    assert "labels" not in job["metadata"]
    assert addon.images == ["docker.io/library/web:1"]
    assert found.addons[-1] is addon, "kops' own come first"
    assert addon not in [*found.made, *found.bootstrap]
    (entry,) = yaml.safe_load(index_text(found.of_channels, "channels"))["spec"]["addons"]
    assert entry["prune"] == yaml.safe_load(CHANNEL)["spec"]["addons"][0]["prune"]
    assert entry["manifestHash"] == hashlib.sha256(addon.manifest.encode()).hexdigest()


def test_channel_and_manifests_are_fetched_once(publisher: Publisher) -> None:
    addon = publisher.addon(keep=True)
    assert [file.url for file in addon.upstream] == [f"{publisher.url}/addon.yaml", f"{publisher.url}/web/v1.yaml"]
    publisher.server.files.clear()
    assert publisher.addon() == addon
    assert publisher.server.asked == ["/addon.yaml", "/web/v1.yaml"]


def test_a_mirror_has_files_and_images(publisher: Publisher) -> None:
    publisher.server.files.update({"/mirror/x/addon.yaml": CHANNEL, "/mirror/x/web/v1.yaml": WEB})
    publisher.cluster.spec.assets = AssetsSpec(
        file_repository=f"{publisher.url}/mirror", container_registry="registry.example.com"
    )
    (addon,) = publisher.addons("https://example.com/x/addon.yaml").of_channels
    assert [file.url for file in addon.upstream] == [
        "https://example.com/x/addon.yaml",
        "https://example.com/x/web/v1.yaml",
    ]
    assert addon.images == ["registry.example.com/docker.io-library-web:1"]


def test_a_manifest_in_a_directory(publisher: Publisher, tmp_path: Path) -> None:
    file = tmp_path / "files" / "direct.yaml"
    file.parent.mkdir()
    file.write_text(f"apiVersion: v1\nkind: List\nitems:\n- {yaml.safe_load(CONFIG)}\n")
    (addon,) = publisher.addons(f"file://{file}").of_channels
    assert addon.name.startswith("manifest-")
    assert [obj["metadata"]["name"] for obj in addon.objects] == ["web"]
    (problem,) = publisher.problems(f"file://{tmp_path}/none.yaml")
    assert problem == f"file://{tmp_path}/none.yaml: there is no such file"


def pinning(manifest: str) -> str:
    checksum = hashlib.sha256(manifest.encode()).hexdigest()
    return CHANNEL.replace("needsPKI", f"manifestHash: {checksum}\n    needsPKI")


def test_the_hash_in_the_channel_counts(publisher: Publisher) -> None:
    publisher.server.files["/addon.yaml"] = pinning(WEB)
    publisher.addon(keep=True)
    publisher.server.files["/addon.yaml"] = pinning(WEB.strip())
    assert publisher.addon().objects, "kops makes hashes without the blanks around"
    publisher.server.files["/addon.yaml"] = CHANNEL.replace("needsPKI", "manifestHash: v2\n    needsPKI")
    assert publisher.addon().objects, "what is no SHA-256 only names a version"


def test_a_file_that_is_not_what_its_channel_says(publisher: Publisher) -> None:
    publisher.server.files["/addon.yaml"] = pinning("other")
    (problem,) = publisher.problems(f"{publisher.url}/addon.yaml")
    assert problem == (
        f"/web/v1.yaml: its SHA-256 is {hashlib.sha256(WEB.encode()).hexdigest()}, but manifestHash in its channel is"
        f" {hashlib.sha256(b'other').hexdigest()}"
    )


def test_a_channel_that_has_changed_is_taken_with_its_checksum(publisher: Publisher) -> None:
    """With it come the manifests whose hashes it says; others keep the content that was first used."""
    publisher.server.files["/addon.yaml"] = pinning(WEB)
    before = publisher.addon(keep=True)
    newer = WEB.replace("web:1", "web:2")
    changed = pinning(newer)
    publisher.server.files.update({"/addon.yaml": changed, "/web/v1.yaml": newer})
    assert publisher.addon() == before
    channel = f"{publisher.url}/addon.yaml"
    checksum = hashlib.sha256(changed.encode()).hexdigest()
    (addon,) = publisher.addons(channel, **{channel: checksum}).of_channels
    assert addon.images == ["docker.io/library/web:2"]
    (problem,) = publisher.problems(channel, **{channel: "0" * 64})
    assert problem == f"/addon.yaml: its SHA-256 is {checksum}, but {'0' * 64} is expected (addon_checksums)"


def test_a_store_that_has_lost_a_channel_does_not_take_another(publisher: Publisher) -> None:
    addon = publisher.addon(keep=True)
    (publisher.store / addon.upstream[0].location).unlink()
    assert publisher.addon() == addon
    publisher.server.files["/addon.yaml"] += "# changed\n"
    (problem,) = publisher.problems(f"{publisher.url}/addon.yaml")
    assert problem.startswith("/addon.yaml: its SHA-256 is ")
    assert "name its checksum in addon_checksums" in problem


def test_everything_that_is_wrong_is_told_at_once(publisher: Publisher) -> None:
    publisher.server.files.update(
        {
            "/html.yaml": "<html>",
            "/none.yaml": "kind: Addons\nspec: {addons: [{name: a}]}",
            "/builtin.yaml": CHANNEL.replace("web.example.com", "coredns.addons.k8s.io"),
            "/again.yaml": CHANNEL,
            "/broken.yaml": CHANNEL.replace("web.example.com", "broken").replace("web/v1", "web/v2"),
            "/web/v2.yaml": "kind: [",
        }
    )
    paths = ("html", "none", "missing", "addon", "builtin", "again", "broken")
    found = publisher.problems(*(f"{publisher.url}/{path}.yaml" for path in paths), "s3x://bucket/a.yaml")
    assert [line for line in found if line.startswith("/html.yaml: an HTML page instead of YAML")]
    assert "/none.yaml: spec.addons[0].manifest: must say where the addon's objects are" in found
    assert [line for line in found if line.startswith("/missing.yaml: 404")]
    assert "/builtin.yaml: coredns.addons.k8s.io is the name of one of the cluster's other addons, too" in found
    assert "/again.yaml: web.example.com is the name of an addon of /addon.yaml, too" in found
    assert [line for line in found if line.startswith("/web/v2.yaml") and "this is not YAML" in line]
    assert [line for line in found if line.startswith("s3x://bucket/a.yaml: unknown scheme")]
    assert len(found) == 7


def test_objects_are_of_one_addon(publisher: Publisher) -> None:
    """What two publishers have in the same form, as a namespace, is no problem; what differs would never rest."""
    publisher.server.files["/two.yaml"] = f"{NAMESPACE}---\n{CONFIG}"
    web, two = publisher.addons(f"{publisher.url}/addon.yaml", f"{publisher.url}/two.yaml").of_channels
    assert [obj["kind"] for obj in web.objects] == ["Namespace", "CronJob"]
    assert [obj["kind"] for obj in two.objects] == ["ConfigMap"]
    publisher.server.files["/two.yaml"] = NAMESPACE.replace("{name: web}", "{name: web, labels: {a: b}}")
    (problem,) = publisher.problems(f"{publisher.url}/addon.yaml", f"{publisher.url}/two.yaml")
    assert problem == f"/two.yaml: Namespace web of {two.name} is also in web.example.com, but differs"
    publisher.server.files["/two.yaml"] = (
        "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: coredns, namespace: kube-system}"
    )
    (problem,) = publisher.problems(f"{publisher.url}/two.yaml")
    assert "is also in coredns.addons.k8s.io, but differs" in problem
