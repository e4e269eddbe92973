# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters that kops made change hands and go back: what docs/from-kops.md says, line by line.

The clusters are kops' own cases: its state store, and its objects as its own configuration makes them with Terraform.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.addons.catalogue import ADDONS
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import KOPS_VERSION
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.hcl import sanitize
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.info import read_clusters, read_groups
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import GROUP_COPY, LEASE, ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import Account
from ansible_collections.kubeops.kops.tests.support.kops_cluster import DOCKER_CONFIG, KopsCluster, leave
from ansible_collections.kubeops.kops.tests.support.terraform import PATH_STYLE, Terraform, needs_terraform
from ansible_collections.kubeops.kops.tests.support.upstream import small_definition

# Public with one control plane, three of them, private with load balancers and a bastion, addons with OIDC roles, and
# groups whose instances Karpenter launches. Each with its turn, as it takes one to three minutes.
CASES = {"minimal-aws": 1, "ha": 1, "privatecalico": 0, "many-addons-ccm-irsa": 2, "karpenter": 2}
# What the controllers of control planes read.
FOR_CONTROLLERS = {"addons/objects.json", "igconfig/controllers.json"}
# What a step of a plan does: task, action, changed fields.
Steps = set[tuple[str, str, tuple[str, ...]]]
# What Terraform computes anew whenever a template changes, and what kops' own direct target leaves to AWS.
FOLLOWS = {"latest_version", "metadata_options", "launch_template", "capacity_reservation_specification"}


@needs_terraform
@pytest.mark.parametrize("case", [pytest.param(case, marks=pytest.mark.turn(turn)) for case, turn in CASES.items()])
def test_a_cluster_changes_hands(account: Account, golden: Path, tmp_path: Path, case: str) -> None:
    cluster = leave(golden / "update_cluster" / case, account.client, tmp_path / "kops")
    before = account.inventory()
    account.store, account.name = cluster.store, cluster.name
    (cluster.directory / "zz_override.tf").write_text(PATH_STYLE)
    terraform = Terraform(tmp_path / "terraform", account.server.environment)
    terraform.init(cluster.directory)
    with terraform.attached():
        terraform.apply(cluster.directory)
        cluster.run(account.client)
        left = _files(account)

        _everything_is_read(account, cluster)
        _deletion_knows_every_object(account, cluster)
        wanted = _node_configuration(cluster) | _definition_files(account)
        assert _plan(account) == wanted | _of_terraform(cluster)
        _terraform_takes_our_configuration(account, cluster, terraform)
        assert {name: content for name, content in _files(account).items() if name in left} == left
        _beside_it_is_what_our_nodes_read(account, cluster, left, boot_scripts={})
        wanted -= _node_files(cluster) | _definition_files(account)
        _bring_to_what_kops_makes_itself(account, cluster)
        assert _plan(account) == wanted

        account.update()
        assert not account.update(check=True).changed
        _the_store_is_still_that_of_kops(account, cluster, left)

        _only_node_configuration(terraform.plan(cluster.directory), cluster)
        terraform.apply(cluster.directory)
        assert _plan(account) == _templates(cluster, "default_version") | _versions(cluster)
    account.delete()
    after = account.inventory()
    assert after.pop("stored files") == []
    assert after == {kind: before[kind] for kind in after}


def test_modules_find_what_kops_left(
    account: Account, golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The modules read the store, and what it holds already is no change."""
    cluster = leave(golden / "update_cluster" / "minimal-aws", account.client, tmp_path / "kops")
    account.store, account.name = cluster.store, cluster.name
    monkeypatch.setenv("KOPS_STATE_STORE", cluster.store)
    monkeypatch.setenv("KOPS_CLUSTER_NAME", cluster.name)
    left = _files(account)
    (tmp_path / "dockerconfig").write_bytes(DOCKER_CONFIG)
    tasks = {
        "cluster_info": {"name": cluster.name},
        "instancegroup_info": {},
        "keypair": {
            "keyset": "kubernetes-ca",
            "state": "promoted",
            "ids": [cluster.keysets["kubernetes-ca"]["primary"]],
        },
        "secret": {"name": "dockerconfig", "src": str(tmp_path / "dockerconfig")},
        "ssh_public_key": {"public_key": [cluster.public_key]},
    }
    found = {
        "cluster_info": f"found.names == {[cluster.name]}",
        "instancegroup_info": f"found.names == {sorted(cluster.roles)}",
        "keypair": f"found.keypairs | map(attribute='id') == {cluster.keysets['kubernetes-ca']['keys']}",
        "secret": "found.names == ['dockerconfig']",
        "ssh_public_key": "found.fingerprints | length == 1",
    }
    play = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "tasks": [
            {
                f"kubeops.kops.{module}": arguments,
                "register": "found",
                "failed_when": f"found is changed or not ({found[module]})",
            }
            for module, arguments in tasks.items()
        ],
    }
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    assert "ok=5 " in account.ansible("ansible-playbook", str(tmp_path / "play.yml"))
    assert _files(account) == left


# -- what is wanted -------------------------------------------------------------------------------------------------


def _node_configuration(cluster: KopsCluster) -> Steps:
    """What differs on purpose: who makes an instance a node, and how it is told; and addons, as the store has none."""
    return {
        *_templates(cluster),
        *_node_files(cluster),
        *((f"ManagedFile/{name}", "update", ("contents",)) for name in _addons(cluster)),
        *((f"ManagedFile/boot-{name}", "create", ("contents",)) for name in cluster.of_karpenter),
        ("ManagedFile/controllers", "create", ("contents",)),
        (f"ConfidentialFile/{_objects_of_addons(cluster)}", "create", ("contents",)),
        ("ManagedFile/kops-version.txt", "update", ("contents",)),
    }


def _objects_of_addons(cluster: KopsCluster) -> str:
    return sanitize(f"{cluster.name}-addons-objects")


def _definitions(account: Account) -> dict[str, bytes]:
    """The files of upstream releases that the cluster's addons name: SHA-256 -> content."""
    store = ClusterStore.open(account.store, account.name)
    cluster, groups = store.read()
    context = AddonContext(cluster, groups)
    urls = {url for each in ADDONS if each.condition(context) for url in each.upstream(context)}
    contents = [small_definition(url) for url in sorted(urls)]
    return {hashlib.sha256(content).hexdigest(): content for content in contents}


def _definition_files(account: Account) -> Steps:
    """They are kept in the store, with their lock; written whatever the target."""
    stem = f"{account.name}-addons-"
    found = {
        (f"ContentAddressedFile/{sanitize(stem + name)}", "create", ("location",)) for name in _definitions(account)
    }
    return found | ({(f"StoreOnlyFile/{sanitize(stem + 'lock')}", "create", ("contents",))} if found else set())


def _addons(cluster: KopsCluster) -> dict[str, str]:
    """The index and the manifests of kops that are written here as well: name as Terraform spells it -> path."""
    lacking = {definition.name for definition in ADDONS if definition.build is None}
    found = {name: each["key"].partition("/addons/")[2] for name, each in cluster.names("aws_s3_object").items()}
    provided = {definition.name for definition in ADDONS} - lacking | {"bootstrap-channel.yaml"}
    return {name: f"addons/{path}" for name, path in found.items() if path.partition("/")[0] in provided}


def _node_files(cluster: KopsCluster) -> Steps:
    """What our nodes read at their start; it is written whatever the target."""
    groups = [name for name, role in cluster.roles.items() if role != "Bastion"]
    names = [*(f"nodeconfig-{name}-amd64" for name in groups), "node-program"]
    return {(f"ContentAddressedFile/{name}", "create", ("location",)) for name in names}


def _templates(cluster: KopsCluster, *fields: str) -> Steps:
    templates = [each["name"] for each in cluster.made("aws_launch_template") if each["user_data"]]
    return {(f"LaunchTemplate/{name}", "update", (*fields, "user_data")) for name in templates}


def _of_terraform(cluster: KopsCluster) -> Steps:
    """What kops' Terraform makes otherwise than is wanted here: rules without tags, versions of templates by number.

    Rules have tags here, so that those that let a network in too much are known as the cluster's. kops tags some.
    """
    rules = cluster.names("aws_security_group_rule")
    return {(f"SecurityGroupRule/{name}", "update", ("tags",)) for name in rules} | _versions(cluster)


def _versions(cluster: KopsCluster) -> Steps:
    groups = cluster.made("aws_autoscaling_group")
    return {(f"AutoscalingGroup/{each['name']}", "update", ("launch_template_version",)) for each in groups}


# -- what is there --------------------------------------------------------------------------------------------------


def _plan(account: Account) -> Steps:
    """The steps that an update would take; names of rules and addons as Terraform spells them."""
    plan = account.update(check=True).plan
    assert plan.due_deletions() == []
    return {_step(step) for step in plan.as_data() if step["action"] in ("create", "update")}


def _step(step: dict[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    kind, _slash, name = step["task"].partition("/")
    name = sanitize(name) if kind == "SecurityGroupRule" or "-addons-" in name else name
    return f"{kind}/{name}", step["action"], tuple(sorted(step["after"]))


def _files(account: Account) -> dict[str, bytes]:
    return {file.name: file.path.read() for file in ClusterStore.open(account.store, account.name).files()}


def _everything_is_read(account: Account, cluster: KopsCluster) -> None:
    (found,) = read_clusters(account.store, account.name, full=True)["clusters"]
    config = yaml.safe_load(cluster.stored["config"])
    for field in ("subnets", "networkCIDR", "etcdClusters", "kubernetesVersion", "masterPublicName"):
        assert found["cluster"]["spec"][field] == config["spec"][field]
    assert found["completed"] == yaml.safe_load(_files(account)["cluster-completed.spec"])
    assert found["kops_version"] == "1.34.0-beta.1"
    groups = read_groups(account.store, account.name)["instancegroups"]
    assert {group["metadata"]["name"]: group["spec"]["role"] for group in groups} == cluster.roles

    store = ClusterStore.open(account.store, account.name)
    keysets = {
        name: {"primary": keyset.primary and keyset.primary.id, "keys": sorted(keyset.items, key=int)}
        for name, keyset in store.keysets.list().items()
    }
    assert keysets == cluster.keysets
    assert store.secrets.list() == ["dockerconfig"]
    assert store.secrets.find("dockerconfig") == DOCKER_CONFIG
    assert store.ssh_public_keys.list() == [cluster.public_key]


# kops' Terraform resource -> our kind of what a deletion deletes, and the attribute that names it there.
DELETED = {
    "aws_autoscaling_group": ("autoscaling-group", "name"),
    "aws_cloudwatch_event_rule": ("event-rule", "name"),
    "aws_ebs_volume": ("volume", "id"),
    "aws_eip": ("elastic-ip", "id"),
    "aws_iam_instance_profile": ("instance-profile", "name"),
    "aws_iam_openid_connect_provider": ("oidc-provider", "arn"),
    "aws_iam_role": ("iam-role", "name"),
    "aws_internet_gateway": ("internet-gateway", "id"),
    "aws_key_pair": ("key-pair", "key_pair_id"),
    "aws_launch_template": ("launch-template", "id"),
    "aws_lb": ("load-balancer", "arn"),
    "aws_lb_target_group": ("target-group", "arn"),
    "aws_nat_gateway": ("nat-gateway", "id"),
    "aws_route_table": ("route-table", "id"),
    "aws_security_group": ("security-group", "id"),
    "aws_sqs_queue": ("queue", "url"),
    "aws_subnet": ("subnet", "id"),
    "aws_vpc": ("vpc", "id"),
    "aws_vpc_dhcp_options": ("dhcp-options", "id"),
}
# What goes with another object, or is compared by itself.
PARTS = {
    "aws_autoscaling_lifecycle_hook",
    "aws_cloudwatch_event_target",
    "aws_iam_role_policy",
    "aws_lb_listener",
    "aws_route",
    "aws_route53_record",
    "aws_route_table_association",
    "aws_s3_object",
    "aws_security_group_rule",
    "aws_vpc_dhcp_options_association",
}


def _deletion_knows_every_object(account: Account, cluster: KopsCluster) -> None:
    assert cluster.kinds() <= DELETED.keys() | PARTS
    wanted = {(ours, each[key]) for kind, (ours, key) in DELETED.items() for each in cluster.made(kind)}
    groups = account.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    wanted |= {("instance", each["InstanceId"]) for group in groups for each in group["Instances"]}
    wanted |= {("record", name) for name in cluster.records}
    deletion = account.delete(check=True)
    found = [
        ("record", each["name"]) if each["kind"].startswith("record in ") else (each["kind"], each["id"])
        for each in deletion.resources
    ]
    assert sorted(found) == sorted(wanted)
    assert deletion.store_files == len(_files(account))


def _bring_to_what_kops_makes_itself(account: Account, cluster: KopsCluster) -> None:
    """Give the objects what kops' direct target gives them and its Terraform does not."""
    ec2, scaling = account.client("ec2"), account.client("autoscaling")
    rules = cluster.names("aws_security_group_rule")
    for step in account.update(check=True).plan.as_data():
        kind, _slash, name = step["task"].partition("/")
        if kind == "SecurityGroupRule":
            tags = [{"Key": key, "Value": value} for key, value in step["after"]["tags"].items()]
            assert {"Key": "Name", "Value": name} in tags
            ec2.create_tags(Resources=[rules[sanitize(name)]["security_group_rule_id"]], Tags=tags)
    for group in cluster.made("aws_autoscaling_group"):
        template = {"LaunchTemplateId": group["launch_template"][0]["id"], "Version": "$Latest"}
        scaling.update_auto_scaling_group(AutoScalingGroupName=group["name"], LaunchTemplate=template)


def _the_store_is_still_that_of_kops(account: Account, cluster: KopsCluster, left: dict[str, bytes]) -> None:
    """Nothing of kops' is gone, and of what it wrote its version and addons are others; what is ours lies beside it."""
    now = _files(account)
    changed = {"kops-version.txt", *_addons(cluster).values()}
    assert {name for name in left if now.get(name) != left[name]} == changed
    assert now["kops-version.txt"] == KOPS_VERSION.encode()
    assert now.keys() >= FOR_CONTROLLERS
    boot_scripts = {f"igconfig/node/{group}/boot.sh": group for group in cluster.of_karpenter}
    _beside_it_is_what_our_nodes_read(account, cluster, left, boot_scripts)


def _beside_it_is_what_our_nodes_read(
    account: Account, cluster: KopsCluster, left: dict[str, bytes], boot_scripts: dict[str, str]
) -> None:
    """Each file is named by the hash of its content, but for boot scripts: path -> group; they name the others."""
    now = _files(account)
    roles = {"Master": "control-plane", "Node": "node"}
    ours = {f"igconfig/{roles[role]}/{name}/nodeconfig/" for name, role in cluster.roles.items() if role in roles}
    new = now.keys() - left.keys() - {LEASE, GROUP_COPY, *FOR_CONTROLLERS}
    assert {name for name in new if name.endswith(".sh")} == boot_scripts.keys()
    new -= boot_scripts.keys()
    definitions = {f"addons/upstream/{sha256}.yaml" for sha256 in _definitions(account)}
    kept = definitions | ({"addons/lock.yaml"} if definitions else set())
    assert kept <= new
    new -= kept
    assert {name[: name.rindex("/") + 1] for name in new} == {*ours, "igconfig/node-program/"}
    for name in new:
        assert hashlib.sha256(now[name]).hexdigest() == Path(name).stem
    for path, group in boot_scripts.items():
        named = set(re.findall(r'"location": "(.*)"', now[path].decode()))
        assert named == {name for name in new if f"/{group}/" in name or "/node-program/" in name}


def _terraform_takes_our_configuration(account: Account, cluster: KopsCluster, terraform: Terraform) -> None:
    """Our configuration, with the state of kops', has only node configuration to change, and its files to exchange."""
    ours = cluster.directory.with_name("ours")
    shutil.copytree(cluster.directory, ours)
    account.update(target="terraform", out=str(ours))
    changes = terraform.plan(ours)
    files = {address: what for (address, attribute), what in changes.items() if address.startswith("aws_s3_object.")}
    _only_node_configuration({key: what for key, what in changes.items() if key[0] not in files}, cluster)
    kept = re.compile(r"cluster-completed-spec|etcd-cluster-spec-\w+|keys-json|discovery-json|kops-version-txt")
    addons = _addons(cluster)
    stored = cluster.names("aws_s3_object")
    # What our nodes read has to outlive its update: it is written before Terraform runs, which knows nothing of it.
    gone = {f"aws_s3_object.{name}" for name in stored if not kept.fullmatch(name) and name not in addons}
    changed = {f"aws_s3_object.{name}" for name in ("kops-version-txt", *addons)}
    new = {f"aws_s3_object.boot-{name}" for name in cluster.of_karpenter}
    new |= {"aws_s3_object.controllers", f"aws_s3_object.{_objects_of_addons(cluster)}"}
    assert files.keys() == gone | changed | new
    assert all(changes[address, ""] == ["delete"] for address in gone)
    assert all(changes[address, ""] == ["create"] for address in new)


def _only_node_configuration(changes: dict[tuple[str, str], Any], cluster: KopsCluster) -> None:
    """What differs between the two in Terraform, but for files in the store: user data."""
    assert {attribute for _address, attribute in changes} - FOLLOWS == {"user_data"}
    templates = {f"aws_launch_template.{name}" for name in cluster.names("aws_launch_template")}
    groups = {f"aws_autoscaling_group.{name}" for name in cluster.names("aws_autoscaling_group")}
    assert {address for address, attribute in changes if attribute == "user_data"} <= templates
    assert {address for address, _attribute in changes} <= templates | groups
