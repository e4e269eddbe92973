# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of users who want more of Terraform: variables, a module, and a state where they say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import TargetSpec, TerraformSpec
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import Action
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.imports import IMPORTS
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import CONFIGURATION
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.documented.pages import blocks
from ansible_collections.kubeops.kops.tests.documented.shell import commands
from ansible_collections.kubeops.kops.tests.integration.conftest import Account
from ansible_collections.kubeops.kops.tests.support.terraform import PATH_STYLE, Terraform, needs_terraform

from tests.golden import terraform as cases

PAGE = "docs/terraform.md"
ZONE = "us-east-1a"
WORKERS = f"nodes-{ZONE}"
TITLE = f"{WORKERS}-demo-example-com"
# Group -> which of its properties are variables, for whole clusters of kops.
EVERYTHING = ["image", "machine_type", "max_size", "min_size", "root_volume_size"]
ON_GOOGLE = ["image", "machine_type", "root_volume_size"]
MIXED = ["image", "max_size", "min_size", "root_volume_size"]
CASES = {
    "minimal-aws": {"control-plane-us-test-1a": EVERYTHING, "nodes": EVERYTHING},
    "mixed_instances_spot": {
        **{f"control-plane-us-test-1{zone}": EVERYTHING for zone in "abc"},
        "nodes": MIXED,
    },
    "minimal_gce": {"control-plane-us-test1-a": ON_GOOGLE, "nodes": ON_GOOGLE},
}
# What Terraform binds to a number of a launch template, and a direct run to the latest.
BOUND = ("default_version", "launch_template_version")
# What of the documented backend the environment cannot say for a bucket on loopback.
_IN_REGION = '    region       = "us-east-1"\n'
ON_LOOPBACK = "    use_path_style = true\n"
_PATH_STYLE = "s3_use_path_style"
# As Terraform prints a variable.
_DECLARED = re.compile(r'^variable "(\S+)" \{\n  default     = (.*)\n.*\n.*\n\}\n\n', re.MULTILINE)


def documented(name: str) -> str:
    """A file of which docs/terraform.md shows the content, under its name."""
    found = [each.text for each in blocks() if each.page == PAGE and each.language == "hcl"]
    (text,) = [text for text in found if text.startswith(f"# {name}\n")]
    return text


@pytest.fixture(name="terraform")
def make_terraform(account: Account, tmp_path: Path) -> Iterator[Terraform]:
    yield Terraform(tmp_path / "data", account.server.environment)
    shutil.rmtree(tmp_path)


def written(account: Account, out: Path, **options: bool) -> list[str]:
    """Write the cluster's configuration; gives the warnings."""
    result = account.update(target="terraform", out=str(out), **options)
    (out / "zz_override.tf").write_text(PATH_STYLE)
    return result.plan.warnings


@pytest.mark.parametrize("name", CASES)
def test_but_for_their_variables_configurations_are_those_without(golden: Path, name: str) -> None:
    (case,) = [each for each in cases.cases(golden) if each.name == name and not each.phase]
    plain, files = cases.rendered(case), dict(cases.rendered(case, has_variables=True))
    text = files.pop(CONFIGURATION).decode()
    declared = dict(_DECLARED.findall(text))
    text = _DECLARED.sub("", text)
    for variable, default in declared.items():
        assert len(re.findall(rf"= var\.{re.escape(variable)}$", text, re.MULTILINE)) == 1
        text = re.sub(rf"var\.{re.escape(variable)}$", default, text, flags=re.MULTILINE)
    assert {CONFIGURATION: text.encode(), **files} == plain
    wanted = [f"{group}_{each}" for group, properties in CASES[name].items() for each in properties]
    assert sorted(re.sub(r"^master-", "control-plane-", each) for each in declared) == sorted(wanted)


def test_a_run_without_them_says_what_it_takes_away(account: Account, tmp_path: Path) -> None:
    account.create(zones=[ZONE])
    lost = "kubernetes.tf in .* loses its variables, .*; terraform_variables: true .* keeps them"
    assert not [each for each in written(account, tmp_path, terraform_variables=True) if re.match(lost, each)]
    again = account.update(target="terraform", out=str(tmp_path), terraform_variables=True)
    assert not again.changed
    assert len([each for each in written(account, tmp_path) if re.match(lost, each)]) == 1
    assert not [each for each in written(account, tmp_path) if re.match(lost, each)]


@needs_terraform
@pytest.mark.long
def test_variables_change_nothing_until_they_are_set(account: Account, terraform: Terraform, tmp_path: Path) -> None:
    """Then the specification stays what direct runs go by, which need no state."""
    out = tmp_path / "out" / "terraform"
    account.create(zones=[ZONE])
    written(account, out)
    terraform.init(out)
    with terraform.attached():
        terraform.apply(out)
        written(account, out, terraform_variables=True)
        assert terraform.plan(out) == {}

        (out / "demo.auto.tfvars").write_text(documented("out/terraform/demo.auto.tfvars"))
        changes = {key: change for key, change in terraform.plan(out).items() if not key[1].startswith("latest_")}
        group, template = f"aws_autoscaling_group.{TITLE}", f"aws_launch_template.{TITLE}"
        assert changes.pop((group, "max_size")) == (1, 5)
        assert changes.pop((template, "instance_type")) == ("t3.medium", "t3.large")
        assert {address for address, _attribute in changes} <= {group, template}
        terraform.apply(out)
        assert terraform.plan(out) == {}

        # What a direct run changes of what Terraform has made.
        (out / "terraform.tfstate").unlink()
        direct = account.update(check=True).plan
        undone = {
            (step.task.kind, step.task.name, field): each
            for step in direct.active()
            for field, each in step.changes.items()
        }
        name = TITLE.replace("-demo-example-com", ".demo.example.com")
        assert undone.pop(("AutoscalingGroup", name, "max_size")).after == 1
        assert undone.pop(("LaunchTemplate", name, "instance_type")).after == "t3.medium"
        assert {(kind, field) for kind, _name, field in undone} == {
            ("SecurityGroupRule", "tags"),
            ("LaunchTemplate", "default_version"),
            ("AutoscalingGroup", "launch_template_version"),
        }
        assert not [step.task.key for step in direct.active() if step.action is Action.CREATE]
        account.update()
        assert not account.update().changed


@needs_terraform
@pytest.mark.long
def test_a_module_takes_over_a_cluster_and_gives_it_back(
    account: Account, terraform: Terraform, tmp_path: Path
) -> None:
    """Imports are the root's, whose blocks name resources of the module. Its state is in a bucket of the user."""
    account.create(zones=[ZONE])
    store = ClusterStore.open(account.store, account.name)
    cluster = store.read_cluster()
    # A provider that files of a module override would have to be passed to it.
    cluster.spec.target = TargetSpec(TerraformSpec({_PATH_STYLE: "true"}, {_PATH_STYLE: "true"}))
    store.write_cluster(cluster)
    account.update()
    before = account.counts()
    out = tmp_path / "out" / "terraform"
    account.update(target="terraform", out=str(out), terraform_variables=True)
    # As the page says it.
    (copied,) = [each for each in commands() if each.page == PAGE and each.into == "demo-imports.tf"]
    text = subprocess.run(copied.words, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    (tmp_path / copied.into).write_text(text)
    (out / IMPORTS).unlink()
    (tmp_path / "main.tf").write_text(documented("main.tf"))
    backend = documented("out/terraform/backend.tf")
    assert backend.count(_IN_REGION) == 1
    (tmp_path / "backend.tf").write_text(backend.replace(_IN_REGION, _IN_REGION + ON_LOOPBACK))
    account.client("s3").create_bucket(Bucket="example-terraform-state")
    terraform.init(tmp_path)
    with terraform.attached():
        changes = terraform.plan(tmp_path)
        group = f"module.demo.aws_autoscaling_group.{TITLE}"
        assert changes.pop((group, "max_size")) == (1, 5)
        kinds = {address.split(".")[2]: change for (address, attribute), change in changes.items() if not attribute}
        assert kinds == {"aws_s3_object": ["create"]}
        terraform.apply(tmp_path)
        assert terraform.plan(tmp_path) == {}
        state = json.loads(
            account.client("s3").get_object(Bucket="example-terraform-state", Key=account.name)["Body"].read()
        )
        assert state["outputs"].keys() == {"vpc_id"}
        assert not list(tmp_path.glob("*.tfstate*"))

        # Direct again: but for what Terraform binds, only what was set by a variable is not as specified.
        assert {
            (step.task.key, field)
            for step in account.update(check=True).plan.active()
            for field in step.changes
            if field not in BOUND
        } == {(f"AutoscalingGroup/{WORKERS}.demo.example.com", "max_size")}
        account.client("s3").delete_object(Bucket="example-terraform-state", Key=account.name)
        account.update()
        assert not account.update().changed
        assert account.counts() == before
