# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels of spec.addons against a real API server: published on loopback, applied, changed, pruned, taken away."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.given import as_given
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import addons_of
from ansible_collections.kubeops.kops.plugins.module_utils.addons.upstream import LOCK, lock_text
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import AddonSpec, Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.upstream_files import UpstreamFiles
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import Tree
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.kubernetes import ControlPlane, control_plane

from tests.support import file_server
from tests.support.file_server import FileServer

from .test_kubernetes import CLUSTER

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("kubernetes")]

CHANNEL = """
kind: Addons
metadata: {name: example}
spec:
  addons:
  - {name: garden.example.com, id: old, kubernetesVersion: "<1.34.0", manifest: garden/old.yaml}
  - name: garden.example.com
    id: new
    kubernetesVersion: ">=1.34.0"
    manifest: garden/new.yaml
    prune:
      kinds:
      - {kind: ConfigMap, labelSelector: app=garden}
      - {group: garden.example.com, kind: Tree, namespaces: [garden]}
      - {kind: Namespace}
      - {group: apiextensions.k8s.io, kind: CustomResourceDefinition}
      - {group: nothing.example.com, kind: Nothing}
  - {name: shed.example.com, manifest: shed.yaml}
"""
NAMESPACE = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: garden}\n"
DEFINITION = """---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: trees.garden.example.com}
spec:
  group: garden.example.com
  names: {kind: Tree, plural: trees}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {height: {type: integer}}}}}}
"""
SHED = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shed, labels: {app: garden}}\ndata: {tools: many}\n"
MAPS = "/api/v1/namespaces/garden/configmaps"


def tree(name: str, height: int = 1) -> str:
    metadata = f"{{name: {name}, namespace: garden}}"
    return f"---\napiVersion: garden.example.com/v1\nkind: Tree\nmetadata: {metadata}\nspec: {{height: {height}}}\n"


def config(name: str, app: str = "garden") -> str:
    return (
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: garden, labels: {{app: {app}}}}}\n"
    )


# The objects of a kind before its definition, and a namespace last: their order in the file means nothing.
GARDEN = tree("oak") + tree("elm") + config("one") + config("two") + config("other", "other") + DEFINITION + NAMESPACE


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with control_plane(tmp_path_factory.mktemp("control-plane")) as started:
        yield started


class Garden:
    """A cluster whose spec.addons names a channel, and what its updates do."""

    def __init__(self, running: ControlPlane, store: pathlib.Path, url: str, server: type[FileServer]) -> None:
        self.running, self.client, self.server = running, running.client(), server
        self.directory, self.channel = open_path(f"file://{store}"), f"{url}/addon.yaml"
        self.cluster = codec.from_plain(Cluster, CLUSTER)
        self.cluster.spec.addons = [AddonSpec(manifest=self.channel)]
        server.files.update({"/addon.yaml": CHANNEL, "/garden/new.yaml": GARDEN, "/shed.yaml": SHED})

    def publish(self, **files: str) -> dict[str, str]:
        """Publish other files under the same names; returns their checksums by URL."""
        base = self.channel.removesuffix("addon.yaml")
        paths = {"channel": "addon.yaml", "garden": "garden/new.yaml", "shed": "shed.yaml"}
        self.server.files.update({f"/{paths[name]}": text for name, text in files.items()})
        return {f"{base}{paths[name]}": hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}

    def update(self, pinned: dict[str, str] | None = None) -> list[str]:
        """What an update changes, after check mode has said the same; a second one changes nothing."""
        read = UpstreamFiles(self.directory, Tree.of(self.directory), None, pinned or {}).read
        found = addons_of(AddonContext(self.cluster, []), read)
        for file in found.upstream:
            self.directory.join(file.location).write(file.data)
        self.directory.join(LOCK).write(lock_text(found.upstream).encode())
        # Those of the collection itself are tried elsewhere.
        addons = [as_given(addon) for addon in found.of_channels]
        ahead, done, again = (self._apply(addons, check=check) for check in (True, False, False))
        assert again == []
        assert sorted(ahead) == sorted(done)
        return done

    def _apply(self, addons: list[dict[str, Any]], *, check: bool) -> list[str]:
        given = {"kubeconfig": self.running.kubeconfig, "addons": addons, "wait": 0, "_ansible_check_mode": check}
        ended = subprocess.run(
            [sys.executable, str(ROOT / "plugins" / "modules" / "addons.py")],
            input=json.dumps({"ANSIBLE_MODULE_ARGS": given}),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        result = json.loads(ended.stdout.splitlines()[-1])
        if "changes" not in result:
            raise KopsError(result["msg"])
        return [("-" if step["after"] is None else "") + step["item"] for step in result["changes"]]


def test_a_channel_comes_changes_and_goes(running: ControlPlane, tmp_path: pathlib.Path) -> None:
    with file_server.running() as (url, server):
        garden = Garden(running, tmp_path, url, server)
        assert sorted(garden.update()) == [
            "ConfigMap garden/one",
            "ConfigMap garden/other",
            "ConfigMap garden/two",
            "ConfigMap shed",
            "CustomResourceDefinition trees.garden.example.com",
            "Namespace garden",
            "Tree garden/elm",
            "Tree garden/oak",
        ]
        # Objects of others that the channel's selectors find; one is a copy.
        for namespace, annotations in (("kube-system", {}), ("garden", {"kubeops.kops/addon": "garden.example.com"})):
            named = {"name": "theirs", "namespace": namespace, "labels": {"app": "garden"}, "annotations": annotations}
            garden.client.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": named}, "others")

        # What is published under the same names later does not count, until it is asked for.
        newer = GARDEN.replace(tree("oak"), tree("oak", 2)).replace(tree("elm"), "")
        newer = newer.replace(config("two"), "").replace(config("other", "other"), "").replace(NAMESPACE, "")
        checksums = garden.publish(garden=newer, shed=SHED.replace("many", "few"))
        assert garden.update() == []
        # The ConfigMap "other" is not selected, and the namespace is nobody's to delete.
        shed, garden_file = f"{url}/shed.yaml", f"{url}/garden/new.yaml"
        assert sorted(garden.update({garden_file: checksums[garden_file]})) == [
            "-ConfigMap garden/two",
            "-Tree garden/elm",
            "Tree garden/oak",
        ]
        assert garden.client.get("/apis/garden.example.com/v1/namespaces/garden/trees/oak")["spec"] == {"height": 2}
        assert garden.update({shed: checksums[shed]}) == ["ConfigMap shed"]

        # The definition leaves as well, but is kept: deleting it would delete everybody's trees.
        checksums = garden.publish(garden=newer.replace(DEFINITION, "").replace(tree("oak", 2), ""))
        assert garden.update(checksums) == ["-Tree garden/oak"]
        assert garden.client.find("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trees.garden.example.com")

        # An addon that leaves its channel, and a channel that leaves the cluster, leave their objects, as in kops.
        lines = [line for line in CHANNEL.splitlines() if "shed" not in line]
        assert garden.update(garden.publish(channel="\n".join(lines))) == []
        garden.cluster.spec.addons = []
        assert garden.update() == []
        assert garden.client.find("/api/v1/namespaces/default/configmaps/shed")
        kept = {obj["metadata"]["name"] for obj in garden.client.list(MAPS)}
        assert kept >= {"one", "other", "theirs"}
        assert garden.client.find("/api/v1/namespaces/kube-system/configmaps/theirs")


def test_an_object_that_is_refused_is_told_with_its_addon(running: ControlPlane, tmp_path: pathlib.Path) -> None:
    with file_server.running() as (url, server):
        garden = Garden(running, tmp_path, url, server)
        garden.publish(garden=NAMESPACE + config("one").replace("labels: {app: garden}", "labels: {app: 'no label!'}"))
        with pytest.raises(KopsError, match=r"addon garden\.example\.com cannot be applied:\nConfigMap garden/one: "):
            garden.update()
        assert garden.client.find("/api/v1/namespaces/default/configmaps/shed"), "other addons go on"
        # A selector that is none is found out when the channel has been applied.
        garden.publish(garden=NAMESPACE + config("one"), channel=CHANNEL.replace("app=garden", "=="))
        (tmp_path / LOCK).unlink()
        with pytest.raises(KopsError, match=r"addon garden\.example\.com: what has left it cannot be deleted: "):
            garden.update()
