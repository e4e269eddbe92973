# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration as Terraform sees it: valid, written once, and applied to an account where it then finds no change.

What moto's server lacks for that is added by name in support/moto_additions.py. It cannot do IPv6-only subnets
(a filter of DescribeSubnets, numbers beyond 64 bits) and starts no instances for mixed instances policies, so clusters
with those are not applied here.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.channels.stable import STABLE
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import sort_objects
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.tests.documented.runs import TERRAFORM, taken_by
from ansible_collections.kubeops.kops.tests.integration.conftest import Account
from ansible_collections.kubeops.kops.tests.support.terraform import PATH_STYLE, Terraform, needs_terraform, why_not

# Fourteen minutes of one worker, so it has the turn with the fewest other long tests.
pytestmark = [pytest.mark.long, pytest.mark.turn(2)]

# What the documentation says to type, in its order.
INIT, PLAN, APPLY, DESTROY = taken_by(TERRAFORM, "docs/terraform.md")
KINDS_WITH_USER_DATA = ("launch_template", "autoscaling_group")
ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
NEW_CLUSTERS: dict[str, dict[str, Any]] = {
    "minimal": {"zones": ZONES[:1]},
    "ha": {"zones": ZONES, "control_plane_count": 3, "topology": "private", "bastion": True},
}
# One for each: public, several zones, private with a bastion, load balancers alone, OIDC roles, Karpenter's queue.
APPLIED = ("minimal-aws", "ha", "privatecalico", "minimal-dns-none", "many-addons-ccm-irsa", "karpenter")
# The file that user data writes, as shell.
_BOOT_FILE = re.compile(r"^(?:cat|base64) .*? << '__EOF_BOOT'.*?^__EOF_BOOT$", re.DOTALL | re.MULTILINE)
_BUCKET = re.compile(r"s3://([^/\s]+)")


@pytest.mark.parametrize("kind", NEW_CLUSTERS)
def test_a_new_cluster_is_written_once(account: Account, tmp_path: Path, kind: str) -> None:
    account.create(**NEW_CLUSTERS[kind])
    out = tmp_path / "out"
    (out / "data").mkdir(parents=True)
    foreign = [out / "network.tf", out / "data" / "notes.txt"]
    for file in foreign:
        file.write_text("# somebody else's")

    planned = account.update(target="terraform", out=str(out), check=True)
    assert planned.changed
    assert "kubernetes.tf" in planned.files
    assert sorted(path.name for path in out.iterdir()) == ["data", "network.tf"]

    written = account.update(target="terraform", out=str(out))
    assert written.files == planned.files
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    again = account.update(target="terraform", out=str(out))
    assert not again.changed
    assert again.files == []
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    assert {file.read_text() for file in foreign} == {"# somebody else's"}
    if not why_not():
        terraform = Terraform(tmp_path / "terraform", {})
        terraform.init(out)
        assert terraform.validate(out) == []


@needs_terraform
@pytest.mark.parametrize("name", APPLIED)
def test_an_applied_case_has_nothing_left_to_do(account: Account, golden: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    _render(account, golden / "update_cluster" / name, out)
    (out / "zz_override.tf").write_text(PATH_STYLE)
    terraform = Terraform(tmp_path / "terraform", account.server.environment)
    terraform.init(out)
    terraform.apply(out)
    assert terraform.plan(out) == {}
    assert account.client("ec2").describe_launch_templates()["LaunchTemplates"]
    shutil.rmtree(tmp_path)


@needs_terraform
@pytest.mark.parametrize("kind", NEW_CLUSTERS)
def test_a_cluster_that_was_made_directly_comes_under_terraform(account: Account, tmp_path: Path, kind: str) -> None:
    """Nothing is made anew but what is written to the state store once more."""
    account.create(**NEW_CLUSTERS[kind])
    account.update()
    before = account.counts()
    out = tmp_path / "out"
    account.update(target="terraform", out=str(out))
    (out / "zz_override.tf").write_text(PATH_STYLE)
    terraform = Terraform(tmp_path / "terraform", account.server.environment)
    terraform.init(out)
    actions = {address: change for (address, attribute), change in terraform.plan(out).items() if not attribute}
    assert {address.partition(".")[0] for address in actions} == {"aws_s3_object"}
    assert [change for change in actions.values() if change != ["create"]] == []
    terraform.apply(out)
    assert terraform.plan(out) == {}
    assert account.counts() == before
    shutil.rmtree(tmp_path)


@needs_terraform
def test_workers_without_dns_learn_the_servers_addresses_at_the_first_apply(account: Account, tmp_path: Path) -> None:
    account.create(zones=ZONES[:2], topology="private")
    account.change_group("nodes-us-east-1b", compress_user_data=True)
    out = tmp_path / "out" / "terraform"
    account.update(target="terraform", out=str(out))
    (out / "zz_override.tf").write_text(PATH_STYLE)
    terraform = Terraform(tmp_path / "terraform", account.server.environment)
    terraform.type(INIT.words, tmp_path)
    with terraform.attached():
        planned = re.search(r"^Plan: (\d+) to add, 0 to change", terraform.type(PLAN.words, tmp_path), re.MULTILINE)
        assert planned
        applied = terraform.type(APPLY.words, tmp_path, answer="yes\n")
        assert f"Apply complete! Resources: {planned[1]} added, 0 changed" in applied
        first = _addresses_of_the_load_balancer(account)
        assert len(first) == 2
        for group in ("nodes-us-east-1a", "nodes-us-east-1b"):
            boot = _boot_file(account, group, tmp_path)
            assert boot["servers"]["addresses"] == [",".join(first)]
        assert "servers" not in _boot_file(account, "control-plane-us-east-1a", tmp_path)
        assert terraform.plan(out) == {}
        assert not account.update(target="terraform", out=str(out)).changed

        # AWS may give the load balancer other addresses: then user data change once, and only those of workers.
        account.client("ec2").delete_network_interface(NetworkInterfaceId=_interfaces(account)[0]["NetworkInterfaceId"])
        _give_interface(account)
        assert {address for address, _attribute in terraform.plan(out)} == {
            *(f"aws_{kind}.nodes-us-east-1{zone}-demo-example-com" for kind in KINDS_WITH_USER_DATA for zone in "ab")
        }
        terraform.apply(out)
        assert _addresses_of_the_load_balancer(account) != first
        assert terraform.plan(out) == {}
        # The volumes of etcd are not destroyed by a command that was typed too early.
        with pytest.raises(AssertionError, match="Instance cannot be destroyed"):
            terraform.type(DESTROY.words, tmp_path, answer="yes\n")
    shutil.rmtree(tmp_path)


def _interfaces(account: Account) -> list[dict[str, Any]]:
    of_balancers = [{"Name": "description", "Values": ["ELB *"]}]
    found = account.client("ec2").describe_network_interfaces(Filters=of_balancers)["NetworkInterfaces"]
    return sorted(found, key=lambda interface: str(interface["PrivateIpAddress"]))


def _give_interface(account: Account) -> None:
    """Another interface of the load balancer in the subnet where it has none."""
    (balancer,) = account.client("elbv2").describe_load_balancers()["LoadBalancers"]
    (left,) = _interfaces(account)
    subnets = {zone["SubnetId"] for zone in balancer["AvailabilityZones"]} - {left["SubnetId"]}
    account.client("ec2").create_network_interface(SubnetId=subnets.pop(), Description=left["Description"])


def _addresses_of_the_load_balancer(account: Account) -> list[str]:
    return [interface["PrivateIpAddress"] for interface in _interfaces(account)]


def _boot_file(account: Account, group: str, directory: Path) -> dict[str, Any]:
    """What the shell of an instance makes of its user data."""
    name = f"{group}.{'masters.' if 'control-plane' in group else ''}{account.name}"
    answer = account.client("ec2").describe_launch_template_versions(LaunchTemplateName=name, Versions=["$Latest"])
    data = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    found = _BOOT_FILE.search(base64.b64decode(data["UserData"]).decode())
    assert found
    file = directory / "boot.json"
    script = found[0].replace("/etc/kubeops/boot.json", str(file))
    subprocess.run(["bash", "-euo", "pipefail", "-c", script], check=True)
    content: dict[str, Any] = json.loads(file.read_text())
    return content


def _render(account: Account, case: Path, out: Path) -> None:
    """Store a case of kops and write its configuration, in the region and with the images that the account has."""
    (source,) = case.glob("in-v1*.yaml")
    text = source.read_text().replace("us-test-1", "us-east-1").replace("memfs://", "s3://")
    # A store for discovery is read over HTTPS, where a bucket's name can have no dots.
    text = text.replace("discovery.example.com", "discovery")
    images = {image.name for image in STABLE.images if image.architecture == "amd64" and "/ubuntu/" in image.name}
    text = re.sub(r"^  image: .*$", f"  image: {max(images)}", text, flags=re.MULTILINE)
    for bucket in set(_BUCKET.findall(text)):
        account.client("s3").create_bucket(Bucket=bucket)
    account.client("route53").create_hosted_zone(Name="example.com", CallerReference="1")
    (wanted,) = sort_objects(manifest.load(text, source=source.name, ignored=[]))
    wanted.ssh_public_keys.append((case / "id_rsa.pub").read_text())
    put(StoreOptions(account.store), [wanted])
    update_cluster(UpdateOptions(state_store=account.store, name=wanted.name, target="terraform", out=str(out)))
