# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in Google Cloud from its options to its objects, or to its Terraform configuration."""

from __future__ import annotations

import dataclasses

import hcl2
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.instance_group import (
    NewGroups,
    create_groups,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.edit import Edit
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

NAME, NETWORK = "demo.example.com", "demo-example-com"


# Calls to Google of an update that changes nothing, with whatever else it looks at besides the objects.
MOST_CALLS = 30


@pytest.fixture(name="arguments")
def make_arguments(google, tmp_path):
    return {
        "name": NAME,
        "state_store": f"memfs://{tmp_path.name}",
        "cloud": "gce",
        "zones": ["us-east1-b", "us-east1-c"],
        "project": "my-project",
    }


@pytest.fixture(name="options")
def make_options(arguments, tmp_path):
    return UpdateOptions(arguments["state_store"], NAME, target="terraform", out=str(tmp_path / "out"))


@pytest.mark.parametrize("networking", ["cilium", "gcp"])
def test_from_options_to_terraform(arguments, options, networking):
    first = create_cluster({**arguments, "networking": networking}, check_mode=False).as_result()
    again = create_cluster({**arguments, "networking": networking}, check_mode=False).as_result()
    assert (first["changed"], again["changed"], again["differences"]) == (True, False, [])
    planned, done, unchanged = (update_cluster(options, check=check) for check in (True, False, False))
    assert planned.files == done.files
    assert "kubernetes.tf" in done.files
    assert (done.changed, unchanged.changed) == (True, False)
    with open(f"{options.out}/kubernetes.tf") as stream:
        configuration = hcl2.load(stream)
    kinds = {kind.strip('"') for block in configuration["resource"] for kind in block}
    assert {"google_compute_network", "google_compute_instance_template", "google_service_account"} <= kinds
    assert {kind for kind in kinds if not kind.startswith("google_")} == set()
    store = ClusterStore.open(arguments["state_store"], NAME)
    assert store.kops_version()
    assert store.keysets.get("kubernetes-ca").primary


def test_drift_of_objects_is_found(arguments, google):
    create_cluster(arguments, check_mode=False)
    update_cluster(UpdateOptions(arguments["state_store"], NAME))
    assert look_for_drift(DriftOptions(arguments["state_store"], NAME)).found == []
    rules = google.objects.found
    rule = rules[f"my-project/global/firewalls/node-to-node-{NETWORK}"]
    rules["my-project/global/firewalls/former"] = {**rule, "name": "former", "selfLink": f"{rule['selfLink']}-former"}
    somebody = {**rule, "name": "else", "description": "", "network": "", "targetTags": ["else"]}
    rules["my-project/global/firewalls/else"] = somebody
    rule["disabled"] = True
    drift = look_for_drift(DriftOptions(arguments["state_store"], NAME))
    changed, unknown = drift.found
    assert (changed.kind, changed.before, changed.after) == ("FirewallRule", {"disabled": True}, {"disabled": False})
    assert (unknown.kind, unknown.name) == ("firewall-rule", "former")
    assert [each.what for each in drift.unseen] == ["what runs in the cluster"]


def test_from_options_to_objects(arguments, google):
    """Check mode writes nothing, and a second run neither."""
    create_cluster(arguments, check_mode=False)
    options = UpdateOptions(arguments["state_store"], NAME)
    assert update_cluster(options, check=True).changed
    assert not google.writes()
    assert not ClusterStore.open(arguments["state_store"], NAME).kops_version()
    assert update_cluster(options).changed
    names = {path.rpartition("/")[2] for path in google.objects.found}
    assert {NETWORK, f"b-nodes-us-east1-b-{NETWORK}", f"c-nodes-us-east1-c-{NETWORK}"} <= names
    google.calls.clear()
    assert not update_cluster(options).changed
    assert not google.writes()
    assert len(google.calls) <= MOST_CALLS


def test_a_layer_without_instances_has_no_variables_yet(arguments, options):
    create_cluster(arguments, check_mode=False)
    wanted = dataclasses.replace(options, terraform_variables=True)
    update_cluster(dataclasses.replace(wanted, phase="network"))
    with open(f"{options.out}/kubernetes.tf") as stream:
        assert "variable" not in hcl2.load(stream)
    update_cluster(wanted)
    with open(f"{options.out}/kubernetes.tf") as stream:
        declared = {name.strip('"'): each for block in hcl2.load(stream)["variable"] for name, each in block.items()}
    groups = ("control-plane-us-east1-b", "nodes-us-east1-b", "nodes-us-east1-c")
    assert declared.keys() == {
        f"{group}_{each}" for group in groups for each in ("image", "machine_type", "root_volume_size")
    }
    assert declared["nodes-us-east1-b_root_volume_size"]["default"] == 128


def test_what_was_made_directly_comes_under_terraform_and_back(arguments, options, google):
    """The marks of what is there are in the configuration, and what Terraform has made needs none."""
    create_cluster(arguments, check_mode=False)
    direct = UpdateOptions(arguments["state_store"], NAME)
    update_cluster(direct)
    written = update_cluster(options)
    assert "kubernetes-imports.tf" in written.files
    with open(f"{options.out}/kubernetes.tf") as stream:
        configuration = hcl2.load(stream)
    resources = {
        f"{kind}.{name}".replace('"', ""): attributes
        for block in configuration["resource"]
        for kind, named in block.items()
        for name, attributes in named.items()
    }
    with open(f"{options.out}/kubernetes-imports.tf") as stream:
        imported = {each["to"].strip("${}") for each in hcl2.load(stream)["import"]}
    assert {address for address in resources if "_instance_template" not in address} == imported
    described = [address for address, attributes in resources.items() if "description" in attributes]
    kinds = {address.partition(".")[0] for address in imported} - {
        "google_project_iam_binding",
        "google_storage_bucket_iam_member",
    }
    assert {address.partition(".")[0] for address in described} == kinds
    assert not update_cluster(options).changed

    # As if Terraform had made it.
    for found in google.objects.found.values():
        found.pop("description", None)
    assert not update_cluster(direct).changed
    assert update_cluster(options).files == ["kubernetes.tf"]
    with open(f"{options.out}/kubernetes.tf") as stream:
        assert "kubeops.kops cluster" not in stream.read()


def test_without_credentials_nothing_is_written(arguments, monkeypatch):
    create_cluster(arguments, check_mode=False)
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS")
    for check in (True, False):
        with pytest.raises(KopsError, match="no credentials for Google Cloud"):
            update_cluster(UpdateOptions(arguments["state_store"], NAME), check=check)
    assert not ClusterStore.open(arguments["state_store"], NAME).kops_version()


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"project": ""}, "project"),
        ({"zones": ["nowhere"]}, "zones"),
        ({"zones": ["us-east1-b", "us-west1-a"]}, "spec.networking.subnets[1].region"),
        ({"networking": "amazonvpc"}, "spec.networking.amazonVPC"),
        ({"network_cidr": ["10.0.0.0/8"]}, "spec.networking.networkCIDR"),
    ],
)
def test_bad_options_are_named(arguments, wrong, path, monkeypatch):
    """Also where nobody can ask Google for its zones."""
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS")
    with pytest.raises(ValidationError) as caught:
        create_cluster({**arguments, **wrong}, check_mode=True)
    assert [problem.path for problem in caught.value.errors] == [path]


def test_stored_cluster_that_lost_its_project_is_refused(arguments, options):
    create_cluster(arguments, check_mode=False)
    store = ClusterStore.open(arguments["state_store"], NAME)
    cluster, _groups = store.read()
    cluster.spec.cloud_provider.gce.project = ""
    store.write_cluster(cluster)
    with pytest.raises(ValidationError, match=r"spec\.cloudProvider\.gce\.project"):
        update_cluster(options, check=True)


def test_what_only_google_knows_needs_credentials(arguments, monkeypatch):
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS")
    with pytest.raises(KopsError, match=r"managed zones.*no credentials for Google Cloud"):
        create_cluster({**arguments, "dns": "public"}, check_mode=True)


def test_a_new_group_is_in_all_zones_of_the_cluster_unless_others_are_given(arguments):
    create_cluster(arguments, check_mode=False)
    for name, zones in {"everywhere": [], "somewhere": ["us-east1-c"]}.items():
        create_groups(StoreOptions(arguments["state_store"]), NAME, NewGroups([name], "node", zones=zones))
    edit = Edit(sets=["spec.zones=us-east1-d"])
    create_groups(StoreOptions(arguments["state_store"]), NAME, NewGroups(["set"], "node", edit=edit))
    groups = ClusterStore.open(arguments["state_store"], NAME).read()[1]
    zones_of = {str(group.metadata.name): group.spec.zones for group in groups}
    assert {name: zones for name, zones in zones_of.items() if "-us-" not in name} == {
        "everywhere": arguments["zones"],
        "somewhere": ["us-east1-c"],
        "set": ["us-east1-d"],
    }
    control_plane = NewGroups(["another"], "control-plane")
    with pytest.raises(KopsError, match="another: give zones or subnets"):
        create_groups(StoreOptions(arguments["state_store"]), NAME, control_plane)
    # What the sentence says helps; then it is the member of etcd that is missing.
    zones = dataclasses.replace(control_plane, zones=["us-east1-d"])
    with pytest.raises(ValidationError, match="another has no member in etcd cluster main"):
        create_groups(StoreOptions(arguments["state_store"]), NAME, zones)


def test_zones_of_a_stored_group_leave_its_subnets(arguments):
    create_cluster(arguments, check_mode=False)
    store = ClusterStore.open(arguments["state_store"], NAME)
    cluster, groups = store.read()
    (own,) = cluster.spec.networking.subnets
    cluster.spec.networking.subnets.append(dataclasses.replace(own, name="more", cidr="10.0.32.0/20"))
    store.write_cluster(cluster)
    group = next(group for group in groups if group.spec.role == "Node")
    group.spec.subnets = ["more"]
    store.write_group(group)
    given = NewGroups([str(group.metadata.name)], "node", zones=["us-east1-d"])
    create_groups(StoreOptions(arguments["state_store"]), NAME, given)
    (stored,) = [each for each in store.read()[1] if each.metadata.name == group.metadata.name]
    assert (stored.spec.zones, stored.spec.subnets) == (["us-east1-d"], ["more"])


def test_an_external_cluster_is_found_in_its_project(arguments, google):
    create_cluster(arguments, check_mode=False)
    update_cluster(UpdateOptions(arguments["state_store"], NAME))
    place = Place("us-east1", "my-project")
    external = DeleteOptions("memfs://another", NAME, external=True, cloud="gce", place=place)
    with pytest.raises(KopsError, match="external needs project"):
        delete_cluster(dataclasses.replace(external, place=Place("us-east1")))
    assert delete_cluster(external).changed
    assert google.objects.found == {}


def test_deletion_leaves_nothing(arguments, google):
    create_cluster(arguments, check_mode=False)
    update_cluster(UpdateOptions(arguments["state_store"], NAME))
    assert google.objects.found
    assert delete_cluster(DeleteOptions(arguments["state_store"], NAME), check=False).changed
    assert google.objects.found == {}
    assert google.identity.accounts == {}
    assert not ClusterStore.open(arguments["state_store"], NAME).exists()
