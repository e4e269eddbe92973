# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Terraform makes the objects of a cluster without DNS: one apply is enough, and it scales the groups."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite
from ansible_collections.kubeops.kops.tests.support.terraform import PATH_STYLE, Terraform, why_not

pytestmark = [pytest.mark.long, pytest.mark.skipif(bool(why_not()), reason=why_not())]
# As docs/terraform.md says: the provider would wait ten minutes for the old number when a group shrinks.
NO_WAITING = f"""
resource "aws_autoscaling_group" "nodes-{clusters.ZONES[0]}-{clusters.NAME.replace(".", "-")}" {{
  wait_for_capacity_timeout = "0"
}}
"""
ADDONS = ("aws-cloud-controller-manager",)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The directory of the configuration."""
    return tmp_path_factory.mktemp("terraform")


@pytest.fixture(scope="module")
def terraform(out: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terraform]:
    """Terraform for the lab's account."""
    (out / "zz_override.tf").write_text(PATH_STYLE + NO_WAITING)
    found = Terraform(tmp_path_factory.mktemp("data"), clusters.environment())
    with found.attached():
        yield found


@pytest.fixture(scope="module")
def variables(out: pathlib.Path) -> dict[str, Any]:
    """Of create_cluster and update_cluster."""
    return {"kops_target": "terraform", "kops_out": str(out)}


@pytest.fixture(scope="module")
def cluster(new_site: Callable[..., CloudSite], terraform: Terraform, variables: dict[str, Any]) -> CloudSite:
    """The cluster, valid."""
    site = new_site({"networking": "flannel", "node_count": 1})
    made = site.create(**variables)
    assert made.code == 0, made.output
    terraform.init(pathlib.Path(variables["kops_out"]))
    terraform.apply(pathlib.Path(variables["kops_out"]))
    run = site.run("validate_cluster", kops_validate_wait=600)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    print(f"\nvalid {run.seconds:.0f} s after the apply")
    return site


def test_one_apply_is_enough(cluster: CloudSite, terraform: Terraform, variables: dict[str, Any]) -> None:
    assert cluster.ready() == sorted(cluster.instances())
    assert len(cluster.instances()) == 2
    again = cluster.run("update_cluster", **variables)
    assert (again.code, again.changed) == (0, 0), again.output
    assert terraform.plan(pathlib.Path(variables["kops_out"])) == {}


@pytest.mark.parametrize("size", [2, 1])
def test_groups_grow_and_shrink(cluster: CloudSite, terraform: Terraform, variables: dict[str, Any], size: int) -> None:
    run = cluster.change_group("Node", variables, minSize=size, maxSize=size)
    assert run.code == 0, run.output
    terraform.apply(pathlib.Path(variables["kops_out"]))
    seconds = cluster.wait(
        lambda: len(cluster.workers()) == size and [*cluster.nodes()] == cluster.ready() == sorted(cluster.instances()),
        300,
    )
    print(f"\n{size} workers {seconds:.0f} s after the apply")
