# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels of spec.addons from the specification to the state store and to the hosts."""

from __future__ import annotations

import hashlib
import pathlib
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import AddonSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.plan import HostOptions, plan_hosts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

from .test_plan import said

NAME = "metal.example.com"
PRUNED = [{"kind": "ConfigMap", "labelSelector": "app=web"}]
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: web, namespace: default}\nstringData: {password: s3cret}\n"


class Published:
    """A cluster whose spec.addons names a channel in a directory."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory / "published"
        self.directory.mkdir()
        self.options = UpdateOptions(f"file://{directory / 'store'}", NAME)
        arguments = {"name": NAME, "state_store": self.options.state_store, "cloud": "metal", "zones": ["main"]}
        create_cluster({**arguments, "networking": "flannel"}, check_mode=False)
        entry = {"name": "web", "manifest": "web.yaml", "prune": {"kinds": PRUNED}}
        self.put("addon.yaml", yaml.safe_dump({"kind": "Addons", "spec": {"addons": [entry]}}))
        self.put("web.yaml", SECRET)
        self.name_channels("addon.yaml")

    def put(self, name: str, text: str) -> str:
        (self.directory / name).write_text(text)
        return hashlib.sha256(text.encode()).hexdigest()

    def url(self, name: str) -> str:
        return f"file://{self.directory / name}"

    @property
    def store(self) -> ClusterStore:
        return ClusterStore.open(self.options.state_store, NAME)

    def name_channels(self, *names: str) -> None:
        cluster, _groups = self.store.read()
        cluster.spec.addons = [AddonSpec(manifest=self.url(name)) for name in names]
        self.store.write_cluster(cluster)

    def stored(self) -> dict[str, str]:
        files = {file.name: file.path for file in self.store.files()}
        return {name[7:]: path.read().decode() for name, path in files.items() if name.startswith("addons/")}

    def given(self, *, check: bool = False, **checksums: str) -> dict[str, Any]:
        """What the module addons is given for the addon, if the cluster has it."""
        groups = {"cp": "control-plane-main", "w": "nodes-main"}
        hosts = {
            host: {"groups": [group], "observed": said(f"10.0.0.{index}")}
            for index, (host, group) in enumerate(groups.items(), 1)
        }
        options = HostOptions(self.options.state_store, NAME, hosts, addon_checksums=checksums)
        return next((addon for addon in plan_hosts(options, check=check)["addons"] if addon["name"] == "web"), {})


@pytest.fixture(name="published")
def make_published(tmp_path: pathlib.Path) -> Published:
    return Published(tmp_path)


def test_an_update_keeps_what_it_has_read(published: Published) -> None:
    planned = update_cluster(published.options, check=True)
    assert published.stored() == {}
    assert "s3cret" not in str(planned.plan.as_data())
    assert update_cluster(published.options).plan.id == planned.plan.id
    files = published.stored()
    (entry,) = yaml.safe_load(files["channels.yaml"])["spec"]["addons"]
    assert hashlib.sha256(files[entry["manifest"]].encode()).hexdigest() == entry["manifestHash"]
    assert "web" not in {each["name"] for each in yaml.safe_load(files["bootstrap-channel.yaml"])["spec"]["addons"]}
    for name in ("addon.yaml", "web.yaml"):
        (published.directory / name).unlink()
    assert not update_cluster(published.options).changed
    given = published.given()
    assert given["pruned"] == PRUNED
    assert [obj["metadata"]["annotations"] for obj in given["objects"]] == [{"kubeops.kops/addon": "web"}]


def test_hosts_are_planned_with_the_checksums_of_the_update(published: Published) -> None:
    update_cluster(published.options)
    checksum = published.put("web.yaml", SECRET.replace("s3cret", "newer"))

    def password(**checksums: str) -> str:
        given = published.given(check=True, **checksums)
        return str(given["objects"][0]["stringData"]["password"])

    assert password() == "s3cret"
    assert password(**{published.url("web.yaml"): checksum}) == "newer"


def test_a_channel_that_cannot_be_used_changes_nothing(published: Published) -> None:
    update_cluster(published.options)
    before = published.stored()
    published.put("text.yaml", "Moved.")
    published.name_channels("addon.yaml", "none.yaml", "text.yaml")
    with pytest.raises(KopsError) as caught:
        update_cluster(published.options)
    assert [line.rpartition("/")[2] for line in str(caught.value).splitlines()[1:]] == [
        "none.yaml: there is no such file",
        "text.yaml, document 1: is no Kubernetes object",
    ]
    assert published.stored() == before


def test_a_cluster_without_channels_any_more(published: Published) -> None:
    update_cluster(published.options)
    published.name_channels()
    plan = update_cluster(published.options).plan.as_data()
    assert f"ManagedFile/{NAME}-addons-channels" in {each["task"] for each in plan}
    assert yaml.safe_load(published.stored()["channels.yaml"])["spec"]["addons"] == []
    assert not update_cluster(published.options).changed
    assert published.given() == {}
