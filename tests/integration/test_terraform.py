# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration as Terraform sees it: valid, written once, and applied to an account where it then finds no change.

What moto's server lacks for that is added by name in support/moto_additions.py. It cannot do IPv6-only subnets
(a filter of DescribeSubnets, numbers beyond 64 bits) and starts no instances for mixed instances policies, so clusters
with those are not applied here.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.channels.stable import STABLE
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import sort_objects
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import UpdateOptions, update_cluster
from ansible_collections.kubeops.kops.tests.integration.conftest import Account
from ansible_collections.kubeops.kops.tests.support.terraform import PATH_STYLE, Terraform, why_not

needs_terraform = pytest.mark.skipif(bool(why_not()), reason=why_not())
ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
NEW_CLUSTERS: dict[str, dict[str, Any]] = {
    "minimal": {"zones": ZONES[:1]},
    "ha": {"zones": ZONES, "control_plane_count": 3, "topology": "private", "bastion": True},
}
# One for each: public, several zones, private with a bastion, load balancers alone, OIDC roles, Karpenter's queue.
APPLIED = ("minimal-aws", "ha", "privatecalico", "minimal-dns-none", "many-addons-ccm-irsa", "karpenter")
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
