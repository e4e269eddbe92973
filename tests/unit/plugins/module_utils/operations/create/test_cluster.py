# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storing a new cluster: once, and never over one that differs."""

from __future__ import annotations

import uuid
from types import SimpleNamespace

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import SUPPORTED
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import StateStore
from ansible_collections.kubeops.kops.tests.support.create import BASE, Facts


class Provider:
    def open(self, place, cluster_name):
        return place.region

    def facts(self, cloud):
        return Facts()

    def explain(self, error):
        return f"the cloud says {error}"


@pytest.fixture
def arguments(monkeypatch):
    monkeypatch.setitem(SUPPORTED, "aws", SimpleNamespace(provider=Provider, limits=lambda: None))
    return {**BASE, "state_store": f"memfs://{uuid.uuid4()}", "node_count": 2}


def run(arguments, check_mode=False, **more):
    return create_cluster({**arguments, **more}, check_mode=check_mode).as_result()


def test_second_run_changes_nothing(arguments):
    first = run(arguments)
    assert first["changed"]
    assert first["manifest"].count("kind: InstanceGroup") == 2
    cluster, groups = StateStore(arguments["state_store"]).cluster(BASE["name"]).read()
    assert (cluster.metadata.name, len(groups)) == (BASE["name"], 2)
    second = run(arguments)
    assert (second["changed"], second["differences"]) == (False, [])


@pytest.mark.parametrize("how", [{"check_mode": True}, {"dry_run": True}])
def test_nothing_is_written_when_only_asked(arguments, how):
    result = run(arguments, **how)
    assert "kind: Cluster" in result["manifest"]
    assert StateStore(arguments["state_store"]).clusters() == []
    assert result["changed"] is ("check_mode" in how)


def test_other_options_are_an_error_that_lists_the_differences(arguments):
    run(arguments)
    with pytest.raises(KopsError) as caught:
        run(arguments, node_count=3, set=["cluster.spec.sshKeyName=mine"])
    assert "instance group nodes-us-east-1a, spec.maxSize: stored 2, from the options 3" in str(caught.value)
    assert "cluster, spec.sshKeyName: stored nothing, from the options mine" in str(caught.value)


def test_a_different_cluster_may_be_kept(arguments):
    run(arguments)
    result = run(arguments, node_count=3, if_different="keep")
    assert not result["changed"]
    assert len(result["differences"]) == 2


def test_nothing_is_written_when_the_cluster_is_refused(arguments):
    with pytest.raises(KopsError):
        run(arguments, zones=["us-east-1a", "us-east-1b"], control_plane_count=2)
    assert StateStore(arguments["state_store"]).clusters() == []


def test_an_exception_of_the_cloud_becomes_a_sentence(arguments, monkeypatch):
    def zones(facts):
        raise RuntimeError("no credentials")

    monkeypatch.setattr(Facts, "zones", zones)
    with pytest.raises(KopsError, match="the cloud says no credentials"):
        run(arguments)


def test_groups_of_a_broken_off_creation_go(arguments):
    store = StateStore(arguments["state_store"]).cluster(BASE["name"])
    run(arguments)
    store.path.join("config").remove()
    run(arguments, zones=["us-east-1b"])
    assert [group.metadata.name for group in store.read_groups()] == [
        "control-plane-us-east-1b",
        "nodes-us-east-1b",
    ]


def test_ssh_key_that_was_not_stored_yet_is_added(arguments):
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me"
    other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA me"
    run(arguments)
    assert run(arguments, ssh_public_key=key)["changed"]
    assert not run(arguments, ssh_public_key=key)["changed"]
    with pytest.raises(KopsError, match="ssh_public_key"):
        run(arguments, ssh_public_key=other)


@pytest.mark.parametrize("spelling", ["{}", "file://{}"])
def test_a_cluster_in_a_directory_is_the_same_in_both_spellings(arguments, tmp_path, spelling):
    given = {"cloud": "linode", "zones": ["us-east"], "ssh_public_key": "", "state_store": f"file://{tmp_path}"}
    run(arguments, **given)
    config = tmp_path / BASE["name"] / "config"
    # kops writes the directory without file://.
    assert f"  configBase: {tmp_path}/{BASE['name']}\n" in config.read_text()
    config.write_text(config.read_text().replace(f"configBase: {tmp_path}", f"configBase: {spelling.format(tmp_path)}"))
    assert not run(arguments, **given)["changed"]
    assert f"configBase: {spelling.format(tmp_path)}/" in config.read_text()


@pytest.mark.parametrize("cloud", [("linode", "us-east"), ("scaleway", "fr-par-1")])
def test_a_cloud_that_cannot_be_applied_yet_is_inferred_and_stored(arguments, tmp_path, cloud):
    store = {"state_store": f"file://{tmp_path}", "ssh_public_key": "", "kubernetes_version": "1.34.2"}
    given = {**store, "cloud": cloud[0], "zones": [cloud[1]]}
    first = run(arguments, **given)
    assert first["changed"]
    assert not first["can_be_applied"]
    assert (
        "cannot be applied yet, only on aws, digitalocean, gce, hetzner, openstack, vsphere, metal"
        in first["warnings"][0]
    )
    assert f"nodes-{cloud[1]}" in first["manifest"]
    assert not run(arguments, **given)["changed"]


@pytest.mark.parametrize("hardened", [True, False])
def test_a_key_that_kops_will_miss_is_named(arguments, tmp_path, hardened):
    given = {"cloud": "linode", "zones": ["us-east"], "ssh_public_key": "", "kubernetes_version": "1.34.2"}
    (warning,) = run(arguments, state_store=f"file://{tmp_path}", hardened=hardened, **given)["warnings"][:1]
    said = "kops can apply it once the secret encryptionconfig is stored, too (kubeops.kops.secret)"
    assert warning.endswith(said if hardened else "and stored; kops can apply it")


def test_what_can_be_applied_is_left_to_the_update(arguments):
    found = run(arguments, leave_to_update=True)
    assert found["changed"]
    assert found["plan"]
    assert StateStore(arguments["state_store"]).clusters() == []


def test_what_cannot_be_applied_yet_is_not_left_to_the_update(arguments, tmp_path):
    store = {"state_store": f"file://{tmp_path}", "ssh_public_key": "", "kubernetes_version": "1.34.2"}
    run(arguments, **store, cloud="linode", zones=["us-east"], leave_to_update=True)
    assert StateStore(store["state_store"]).clusters() == [BASE["name"]]


@pytest.mark.parametrize("how", [{}, {"check_mode": True}, {"leave_to_update": True}])
def test_a_store_that_instances_cannot_read_is_refused_before_anything_is_stored(arguments, tmp_path, how):
    with pytest.raises(ValidationError, match="state_store: instances of AWS cannot read this; keep .* in s3://"):
        run(arguments, state_store=f"file://{tmp_path}/store", **how)
    assert not (tmp_path / "store").exists()
    # A specification is shown without a store.
    assert run(arguments, state_store=f"file://{tmp_path}/store", dry_run=True)["manifest"]
