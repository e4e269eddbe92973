# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks as a user runs them: exact in check mode, nothing left to do the second time, no secret shown.

Every variable that a playbook knows is given in every run, as empty text where it is not wanted: survey forms do so.
"""

from __future__ import annotations

import base64
import importlib
import json
import pathlib
import re
import stat

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.ssh_keys import fingerprint
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, PUBLIC_KEY, STORE, Account, run_ansible
from ansible_collections.kubeops.kops.tests.support.playbooks import PLAYBOOKS, content_of, tasks_in, variables_of

ZONE = "us-east-1a"
NODES = f"nodes-{ZONE}"
# What every private key begins with, as PEM, and in a kubeconfig or a keyset.
SECRET_MARKS = ("PRIVATE KEY", base64.b64encode(b"-----BEGIN RSA PRIV").decode(), "client-key-data: LS0", "hunter2")
# Options of modules that playbooks have no variable for: they are how a playbook does its own work.
OWN_OPTIONS = {
    "cluster": {"manifests", "spec", "labels", "annotations", "state"},
    "cluster_info": {"full"},
    # The last three are for new groups: those of the playbook of that name.
    "instancegroup": {"manifests", "spec", "labels", "annotations", "state", "role", "zones", "subnets"},
    "update_cluster": {"manifest"},
    # For check mode, and for a wait of a run.
    "rolling_update": {"pending"},
    "validate_cloud_cluster": {"only_api"},
    "node_info": {"certificates"},
    "hosts_info": {"hosts"},
    "toolbox_dump": {"hosts"},
    "cluster_report": {"hosts"},
    # What the playbook has found out itself.
    "drift_info": {"hosts", "hosts_problem"},
    "keypair": {"hosts", "pods"},
    "rotation_steps": {"hosts", "pods", "written_again"},
    # What has to be encrypted again, the steps say.
    "encrypt_again": {"resources", "kubeconfig", "api_timeout"},
    "delete_cluster": {"hosts_cleared"},
    # Whether and as what the hosts stay, the playbook knows.
    "check_policy": {"nodes", "removed"},
    # The last one: where a rolling update comes next.
    "validate_cluster": {"kubeconfig", "api_timeout", "pod_trust", "unfinished_updates", "leaving"},
    "etcd_backup_store": {"prune"},
    # At first, backups are only chosen.
    "etcd_backup_fetch": {"directory"},
    # One of the first two; errors are for the end of a run.
    "show": {"text", "changes", "hosts", "stats", "table", "error"},
    # Of its phases, only the first one has them.
    "etcd_restore": {"directory", "members"},
}


# Playbooks that use a part of what a module can do.
PARTLY = {
    # What they end with.
    ("create_cluster", "kubeconfig"),
    ("create_cluster", "validate_cloud_cluster"),
    ("hosts", "validate_cloud_cluster"),
    # All of the cluster, in an order of its own.
    ("reconcile", "rolling_update"),
    ("reconcile", "update_cluster"),
    ("reconcile", "validate_cloud_cluster"),
    ("upgrade_cluster", "versions_info"),
    ("update_cluster", "kubeconfig"),
    ("update_cluster", "validate_cloud_cluster"),
    # It only looks.
    ("keypair", "pod_trust"),
    ("rotate", "kubeconfig"),
    ("rotate", "pod_trust"),
    ("create_cluster", "replace"),
    ("create_cluster", "update_cluster"),
    ("delete_cluster", "cluster_info"),
    ("delete_cluster", "node_converge"),
    ("delete_cluster", "node_removals"),
    # It runs on a node of the control plane, whose kubeconfig is the default.
    ("delete_cluster", "versions_info"),
    # It only compares.
    ("drift", "node_configs"),
    ("drift", "node_converge"),
    ("hosts", "etcd_member"),
    ("hosts", "kubeconfig"),
    # What is recorded is so by the role protokube.
    ("hosts", "pod_trust"),
    ("hosts", "validate_cluster"),
    ("preflight", "node_configs"),
    # It runs on a node of the control plane, whose kubeconfig is the default.
    ("repair", "failed_nodes_info"),
    ("remove_hosts", "etcd_member"),
    ("remove_hosts", "node_converge"),
    ("remove_hosts", "node_drain"),
    ("remove_hosts", "node_removals"),
    ("rolling_update", "addons"),
    ("rolling_update", "node_converge"),
    ("rolling_update", "node_drain"),
    ("rolling_update", "pod_trust"),
    ("rolling_update", "validate_cluster"),
    # It only warns.
    ("validate_cluster", "etcd_backups_info"),
}


def play(account: Account, playbook: str, *options: str, changed: int, **variables: str) -> str:
    """Run a playbook; its output, in which so many tasks have changed something and no secret is to be seen."""
    given = json.dumps({**variables_of(playbook), **variables})
    output = account.ansible("ansible-playbook", f"kubeops.kops.{playbook}", "-e", given, *options)
    recap = re.search(r"^localhost +: ok=\d+ +changed=(\d+) +unreachable=0 +failed=0", output, re.MULTILINE)
    assert recap, output
    assert int(recap[1]) == changed, output
    for mark in SECRET_MARKS:
        assert mark not in output
    return output


def play_reading(account: Account, playbook: str, *options: str, changed: int = 0, **variables: str) -> str:
    """Run a playbook that may only read."""
    with account.server.recorded() as calls:
        output = play(account, playbook, *options, changed=changed, **variables)
    assert calls, "the playbook has looked at nothing"
    assert account.writes(calls) == []
    return output


def progress(output: str, what: str) -> bool:
    """Whether a line has told of something when it was done."""
    return re.search(rf"^ +\[\d+/\d+\] {re.escape(what)}$", output, re.MULTILINE) is not None


def plan_id(output: str) -> str:
    """The id of the plan that was shown."""
    found = re.search(r"^  Plan ([0-9a-f]+):", output, re.MULTILINE)
    assert found, output
    return found[1]


def fail(account: Account, playbook: str, *, expect: str, **variables: str) -> None:
    """Run a playbook that is refused and changes nothing in the cloud."""
    given = json.dumps({**variables_of(playbook), **variables})
    before = cloud_objects(account)
    assert expect in account.ansible("ansible-playbook", f"kubeops.kops.{playbook}", "-e", given, expect=2)
    assert cloud_objects(account) == before


def cloud_objects(account: Account) -> dict[str, list[str]]:
    """What the account holds beside the state store."""
    return {kind: names for kind, names in account.inventory().items() if kind != "stored files"}


def scale(file: pathlib.Path) -> None:
    """Give the nodes' group of manifests other sizes."""
    objects = manifest.load(file.read_text())
    (group,) = (each for each in objects if isinstance(each, InstanceGroup) and each.metadata.name == NODES)
    group.spec.min_size, group.spec.max_size = 2, 3
    file.write_text(manifest.dump_all(objects))


@pytest.fixture
def cluster(account: Account) -> Account:
    """The account with a cluster in it."""
    account.create(zones=[ZONE])
    account.update()
    return account


def test_create_cluster(account: Account) -> None:
    before, options = account.inventory(), {"kops_zones": ZONE, "kops_ssh_public_key": PUBLIC_KEY}
    planned = play_reading(account, "create_cluster", "--check", "--diff", changed=2, **options)
    assert re.search(rf"^  \+ VPC/{NAME}$", planned, re.MULTILINE)
    assert "+  cidr: 172.20.0.0/16" in planned
    assert re.search(rf"^  \+ SSHKey/kubernetes.{NAME}-", planned, re.MULTILINE)
    assert account.inventory() == before

    fail(account, "create_cluster", expect="the approved plan 0123", kops_plan_id="0123", kops_dry_run="", **options)
    assert account.inventory() == before
    account.create(zones=[ZONE])
    approved = plan_id(play_reading(account, "create_cluster", "--check", changed=1, **options))
    # The plan of a cluster that is not stored is that of the same cluster once it is.
    assert approved == plan_id(planned)
    account.delete()
    created = play(account, "create_cluster", "-vvv", "--diff", changed=2, kops_plan_id=approved, **options)
    assert progress(created, f"created VPC/{NAME}")
    assert re.search(r"^  Done: \d+ created, 0 changed, 0 deleted, \d+ unchanged$", created, re.MULTILINE)
    assert len(account.inventory()["scaling groups"]) == 2

    play_reading(account, "create_cluster", **options)
    play_reading(account, "create_cluster", "--check", **options)


@pytest.mark.long
def test_create_a_hardened_cluster(account: Account) -> None:
    """Its key is made with it, as planned, and shown to nobody."""
    options = {"kops_zones": ZONE, "kops_ssh_public_key": PUBLIC_KEY, "kops_hardened": "true"}
    planned = play_reading(account, "create_cluster", "--check", "--diff", changed=2, **options)
    assert re.search(r"^  \+ Secret/encryptionconfig$", planned, re.MULTILINE)
    assert account.inventory()["stored files"] == []
    created = play(account, "create_cluster", "-vvv", "--diff", changed=2, kops_plan_id=plan_id(planned), **options)
    assert progress(created, "created Secret/encryptionconfig")
    value = ClusterStore.open(STORE, NAME).secrets.find("encryptionconfig")
    (resources,) = yaml.safe_load(value or b"")["resources"]
    (key,) = resources["providers"][0]["secretbox"]["keys"]
    assert key["secret"] not in created
    play_reading(account, "create_cluster", **options)
    assert ClusterStore.open(STORE, NAME).secrets.find("encryptionconfig") == value


def test_a_manifest_of_several_clusters_is_refused(account: Account, tmp_path: pathlib.Path) -> None:
    one, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    one.write_text(account.create(check=True, zones=[ZONE])["manifest"])
    other.write_text(one.read_text().replace(NAME, "other.example.com"))
    before, given = account.inventory(), {"kops_manifest": f"{one},{other}", "kops_cluster_name": ""}
    fail(account, "create_cluster", expect=f"objects of the clusters {NAME}, other.example.com.", **given)
    given["kops_cluster_name"] = NAME
    fail(account, "create_cluster", expect="what is given here must be of demo.example.com", **given)
    assert account.inventory() == before


def test_modules_run_with_the_python_of_ansible(account: Account, tmp_path: pathlib.Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("localhost\n[all:vars]\nansible_python_interpreter=/the/python/of/nodes\n")
    account.create(zones=[ZONE])
    play_reading(account, "get", "-i", str(hosts), kops_cluster_name=NAME)


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_each_play_on_localhost_has_the_python_of_ansible(playbook: str) -> None:
    for play in content_of(playbook):
        if play.get("hosts") == "localhost":
            assert play["vars"]["ansible_python_interpreter"] == "{{ ansible_playbook_python }}", play["name"]


def test_dry_run(account: Account) -> None:
    shown = play_reading(account, "create_cluster", kops_zones=ZONE, kops_dry_run="true", kops_set="spec.channel=alpha")
    # As it can be pasted into a file.
    assert "\n  channel: alpha\n" in shown
    assert account.inventory()["stored files"] == []


@pytest.mark.long
def test_what_does_not_apply_is_not_shown(account: Account, tmp_path: pathlib.Path) -> None:
    given = {"kops_zones": ZONE}
    planned = play_reading(account, "create_cluster", "--check", changed=2, **given)
    identity = plan_id(planned)
    done = play(account, "create_cluster", changed=2, kops_plan_id=identity, **given)
    again = play_reading(account, "update_cluster")
    upgraded = play_reading(account, "upgrade_cluster", "--check")
    others = [
        play_reading(account, "edit", "--check", changed=1, kops_set="spec.channel=alpha"),
        play_reading(account, "edit", "--check", changed=1, kops_groups=NODES, kops_set="spec.maxSize=3"),
        play_reading(account, "get"),
        play_reading(account, "keypair", "--check", changed=1, kops_keyset="all"),
        play_reading(account, "delete_cluster", "--check", changed=1),
    ]
    for output in (planned, done, again, upgraded, *others):
        assert "no hosts matched" not in output
        assert "skipping:" not in output
    assert "The run would wait for the API:" in upgraded
    for output in (planned, done, again):
        assert len(re.findall(r"^PLAY \[Summary\]", output, re.MULTILINE)) == 1
    assert f"with -e kops_plan_id={identity} it does exactly this, or nothing\n" in planned
    assert len(re.findall(rf"^  Plan {identity}: \d+ to create, 0 to change, 0 to delete", planned, re.M)) == 1
    assert len(re.findall(r"^  Done: \d+ created, 0 changed, 0 deleted, \d+ unchanged$", done, re.M)) == 1
    steps = re.findall(r"^  Next: ([\w.]+)", done, re.M)
    assert steps == ["kubeops.kops.validate_cluster", "kubeops.kops.kubeconfig"]
    # Nobody has asked the cluster.
    assert "Next:" not in upgraded
    assert len(re.findall(r"^  Nothing to do: all \d+ objects are as they should be$", again, re.M)) == 1
    # A host beside localhost may be one of a bare-metal cluster.
    hosts = tmp_path / "hosts"
    hosts.write_text("node1\n")
    shown = play_reading(account, "update_cluster", "-i", str(hosts))
    assert "PLAY [Make the hosts nodes]" in shown
    assert len(re.findall(r"^PLAY \[Summary\]", shown, re.MULTILINE)) == 1


@pytest.mark.long
def test_create_cluster_from_manifests(account: Account, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(account.create(check=True, zones=[ZONE])["manifest"])
    given = {"kops_manifest": str(file)}
    planned = play_reading(account, "create_cluster", "--check", "--diff", changed=2, **given)
    assert f"SSHKey/kubernetes.{NAME}-" in planned
    play(account, "create_cluster", changed=2, kops_plan_id=plan_id(planned), **given)
    play_reading(account, "create_cluster", **given)

    file.write_text(file.read_text().replace("channel: stable", "channel: alpha"))
    scale(file)
    planned = play_reading(account, "create_cluster", "--check", changed=2, **given)
    assert re.search(r"^ +max_size +1 -> 3$", planned, re.MULTILINE)
    assert re.search(r"^ +\+  channel: alpha$", planned, re.MULTILINE)
    updated = play(account, "create_cluster", changed=2, kops_plan_id=plan_id(planned), **given)
    assert progress(updated, f"changed AutoscalingGroup/{NODES}.{NAME}")


def test_replace_says_what_git_does_not_have(cluster: Account, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "cluster.yaml"
    stored, groups = ClusterStore.open(STORE, NAME).read()
    file.write_text(manifest.dump_all([stored, *(each for each in groups if each.metadata.name != NODES)]))
    shown = play_reading(cluster, "replace", kops_manifest=str(file))
    assert (
        f"Only in the state store, and kept: InstanceGroup/{NODES}; to remove what is not in the manifests, set"
        in shown
    )
    assert "(kops_prune=true in a playbook)" in shown
    shown = play(cluster, "replace", changed=1, kops_manifest=str(file), kops_prune="true")
    assert "Done: 0 created, 0 changed, 1 deleted" in shown
    assert "Only in the state store" not in play_reading(cluster, "replace", kops_manifest=str(file), kops_prune="true")


def test_replace_and_update_cluster(cluster: Account, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "cluster.yaml"
    stored, groups = ClusterStore.open(STORE, NAME).read()
    file.write_text(manifest.dump_all([stored, *groups]))
    scale(file)

    planned = play_reading(cluster, "replace", "--check", "--diff", changed=1, kops_manifest=str(file))
    assert "+  maxSize: 3" in planned
    planned = play_reading(cluster, "replace", "--check", changed=1, kops_manifest=str(file))
    assert f"~ InstanceGroup/{NODES}\n      spec.maxSize  1 -> 3\n" in planned
    play(cluster, "replace", changed=1, kops_manifest=str(file))
    play_reading(cluster, "replace", kops_manifest=str(file))

    planned = play_reading(cluster, "update_cluster", "--check", "--diff", changed=1)
    assert f"AutoscalingGroup/{NODES}.{NAME}" in planned
    updated = play(cluster, "update_cluster", "-vvv", changed=1)
    assert progress(updated, f"changed AutoscalingGroup/{NODES}.{NAME}")
    play_reading(cluster, "update_cluster")


def test_an_approved_plan_is_refused_when_something_else_would_be_done(cluster: Account) -> None:
    sizes = {"kops_groups": NODES, "kops_set": "spec.minSize=2,spec.maxSize=4"}
    shown = play_reading(cluster, "edit", "--check", "--diff", changed=1, **sizes)
    assert "-  maxSize: 1\n" in shown
    assert "+  maxSize: 4\n" in shown
    play(cluster, "edit", changed=1, **sizes)
    play_reading(cluster, "edit", **sizes)
    approved = plan_id(play_reading(cluster, "update_cluster", "--check", changed=1))

    # Somebody else has a hand in it.
    (vpc,) = (each for each in cluster.client("ec2").describe_vpcs()["Vpcs"] if not each["IsDefault"])

    def rename(name: str) -> None:
        cluster.client("ec2").create_tags(Resources=[vpc["VpcId"]], Tags=[{"Key": "Name", "Value": name}])

    rename("mine")
    refused = f"the approved plan {approved} is not what would be done now"
    fail(cluster, "update_cluster", expect=refused, kops_plan_id=approved)
    rename(NAME)
    updated = play(cluster, "update_cluster", changed=1, kops_plan_id=approved)
    assert progress(updated, f"changed AutoscalingGroup/{NODES}.{NAME}")


def test_edit_a_cluster(cluster: Account) -> None:
    given = {"kops_set": "spec.cloudLabels=team=x", "kops_unset": "spec.sshAccess"}
    play_reading(cluster, "edit", "--check", changed=1, **given)
    play(cluster, "edit", changed=1, **given)
    play_reading(cluster, "edit", **given)
    stored = ClusterStore.open(STORE, NAME).read_cluster()
    assert (stored.spec.cloud_labels, stored.spec.ssh_access) == ({"team": "x"}, [])
    fail(cluster, "edit", expect="did you mean spec.networking.networkCIDR?", kops_set="spec.networkCIDR=10.0.0.0/8")


def test_terraform(cluster: Account, tmp_path: pathlib.Path) -> None:
    given = {"kops_target": "terraform", "kops_out": str(tmp_path / "terraform")}
    planned = play_reading(cluster, "update_cluster", "--check", changed=1, **given)
    assert re.search(r"^  Files that would change in .*: \d+$", planned, re.MULTILINE)
    assert not (tmp_path / "terraform").exists()
    assert "wrote " in play_reading(cluster, "update_cluster", changed=1, **given)
    assert (tmp_path / "terraform" / "kubernetes.tf").exists()
    assert "  Nothing to do in " in play_reading(cluster, "update_cluster", **given)


@pytest.mark.long
def test_keys_and_secrets(cluster: Account, tmp_path: pathlib.Path) -> None:
    store = ClusterStore.open(STORE, NAME)
    steps = [
        ("secret", {"kops_secret": "dockerconfig", "kops_secret_value": '{"auths": {"a": {"auth": "hunter2"}}}'}),
        ("ssh_public_key", {"kops_ssh_public_key": PUBLIC_KEY.replace("BQYH", "BQYI"), "kops_ssh_exclusive": "true"}),
        ("keypair", {"kops_keyset": "all"}),
        ("keypair", {"kops_keyset": "all", "kops_keypair_state": "promoted"}),
        ("secret", {"kops_secret": "dockerconfig", "kops_secret_state": "absent"}),
    ]
    for playbook, given in steps:
        play_reading(cluster, playbook, "--check", "--diff", changed=1, **given)
        play(cluster, playbook, "-vvv", "--diff", changed=1, **given)
        play_reading(cluster, playbook, **given)
    assert store.secrets.list() == []
    assert {len(keyset.items) for keyset in store.keysets.list().values()} == {2}
    shown = play_reading(cluster, "get_keypairs", kops_keyset="kubernetes-ca")
    assert len(re.findall(r"^kubernetes-ca \d+: (?:primary|trusted), until 20\d\d-.*$", shown, re.MULTILINE)) == 2


def test_what_is_stored_is_listed(cluster: Account) -> None:
    secret = {"kops_secret": "dockerconfig", "kops_secret_value": '{"auths": {"a": {"auth": "hunter2"}}}'}
    play(cluster, "secret", changed=1, **secret)
    assert "\ndockerconfig\n" in play_reading(cluster, "get_secrets")
    shown = play_reading(cluster, "get_ssh_public_keys")
    (key,) = ClusterStore.open(STORE, NAME).ssh_public_keys.list()
    assert f"\n{fingerprint(key)} {key}\n" in shown


def test_files_are_looked_up_in_the_working_directory(cluster: Account, tmp_path: pathlib.Path) -> None:
    (tmp_path / "docker.json").write_text('{"auths": {}}')
    (tmp_path / "key.pub").write_text(PUBLIC_KEY)
    (tmp_path / "cluster.yaml").write_text(manifest.dump(ClusterStore.open(STORE, NAME).read_cluster()))
    for playbook, variables in (
        ("secret", "kops_secret=dockerconfig kops_secret_file=docker.json"),
        ("ssh_public_key", "kops_ssh_public_key=key.pub"),
        ("replace", "kops_manifest=cluster.yaml"),
    ):
        command = ["ansible-playbook", f"kubeops.kops.{playbook}", "--check", "-e", variables]
        command += ["-e", f"kops_state_store={STORE} kops_cluster_name={NAME}"]
        run_ansible(*command, directory=tmp_path)


def test_assets(cluster: Account) -> None:
    shown = play_reading(cluster, "assets", kops_architectures="arm64")
    assert "registry.k8s.io/kube-apiserver:v" in shown
    assert "/bin/linux/arm64/kubelet" in shown


def test_assets_are_copied_nowhere_without_a_mirror(cluster: Account) -> None:
    fail(cluster, "assets_copy", expect="there is nowhere to copy to", kops_architectures="arm64")


def test_a_bundle_that_is_none(cluster: Account, tmp_path: pathlib.Path) -> None:
    (tmp_path / "bundle.tar").write_bytes(b"something else")
    place = {"kops_bundle": str(tmp_path / "bundle.tar"), "kops_file_repository": f"file://{tmp_path}/mirror"}
    fail(cluster, "assets_load", expect="cannot be read as a bundle of assets", **place)
    assert not (tmp_path / "mirror").exists()


def test_get_and_kubeconfig(cluster: Account, tmp_path: pathlib.Path) -> None:
    # As users keep it in git; the directory is made.
    copied = tmp_path / "clusters" / "demo" / "cluster.yml"
    shown = play_reading(cluster, "get", changed=2, kops_manifest=str(copied))
    assert f"{NAME}: written to {copied}\n" in shown
    assert "kind: InstanceGroup" not in shown
    play_reading(cluster, "replace", kops_manifest=str(copied.parent))
    # What the terminal shows is the file.
    shown = play_reading(cluster, "get")
    assert copied.read_text() in shown
    assert f"  name: {NODES}\n" in shown
    fail(cluster, "get", expect=f"such as {copied}", kops_manifest=str(copied.parent))
    unknown = (
        f"there is no cluster other.example.com in the state store ({STORE}/other.example.com/config); it has {NAME};"
    )
    fail(cluster, "get", expect=unknown, kops_cluster_name="other.example.com")

    file = tmp_path / "own" / "kubeconfig"
    play_reading(cluster, "kubeconfig", "--check", "--diff", changed=1, kops_kubeconfig=str(file))
    assert not file.exists()
    play_reading(cluster, "kubeconfig", "-vvv", "--diff", changed=1, kops_kubeconfig=str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert yaml.safe_load(file.read_text())["current-context"] == NAME
    play_reading(cluster, "kubeconfig", kops_kubeconfig=str(file))


def test_delete_cluster(account: Account) -> None:
    before = account.inventory()
    account.create(zones=[ZONE])
    account.update()
    existing = account.inventory()
    listed = play_reading(account, "delete_cluster", "--check", changed=1)
    assert re.search(r"^  Plan: 0 to create, 0 to change, \d+ to delete$", listed, re.MULTILINE)
    assert re.search(rf"^  - vpc/{NAME}$", listed, re.MULTILINE)
    assert account.inventory() == existing

    deleted = play(account, "delete_cluster", "-vvv", changed=1)
    assert progress(deleted, f"deleted vpc {NAME}")
    before["stored files"] = []
    assert account.inventory() == before
    play_reading(account, "delete_cluster")


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_variable_for_every_option(playbook: str) -> None:
    """Also: no prompts, and nothing but variables of the one prefix."""
    for content in content_of(playbook):
        assert "vars_prompt" not in content
        for task in tasks_in(content):
            for key in task:
                module = key.removeprefix("kubeops.kops.")
                if module != key and (playbook, module) not in PARTLY:
                    given = set(task[key] or ())
                    assert options_of(module) - given == OWN_OPTIONS.get(module, set()) - given


def options_of(module: str) -> set[str]:
    """The options of a module, as its documentation and its fragments have them; without that of its action plugin."""
    imported = importlib.import_module(f"ansible_collections.kubeops.kops.plugins.modules.{module}")
    return set(imported.ARGUMENTS) - {"progress_file"}


def test_every_playbook_has_its_place_in_the_documentation() -> None:
    text = (ROOT / "docs" / "playbooks.md").read_text()
    assert [name for name in PLAYBOOKS if f"| `{name}` |" not in text] == []
