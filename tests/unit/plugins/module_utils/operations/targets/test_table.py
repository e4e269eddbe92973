# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A target is its row: one that nothing else knows of plans, writes, refuses and says what comes next."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.address import Address
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.rendering import Marked, renderers
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.rendering import Rendering
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.table import TARGETS, target_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.desired import Desired
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.outcome import outcome
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support.google.server import GoogleServer

NAME = "demo.example.com"


class Names(Rendering):
    """The names of all objects, in one file."""

    name = "names"
    title = "The list"
    out_is = "the directory of the list"
    needs_all_groups = "a list is whole"
    late_values = Marked("names")
    carried_out_by = "read {}/names.json aloud"

    def render(self, desired: Desired) -> dict[str, bytes]:
        return {"names.json": json.dumps(sorted(task.key for task in self.rendered(desired))).encode()}


class Postcards(Names):
    """Kinds of tasks would have to say what they are on a postcard; none does."""

    name = "postcard"

    def refuse(self, desired: Desired) -> None:
        renderers(self.rendered(desired), self.name)


@pytest.fixture(name="options")
def make_options(google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UpdateOptions:
    """Of a stored cluster."""
    for target in (Names(), Postcards()):
        monkeypatch.setitem(TARGETS, target.name, target)
    store = f"memfs://{tmp_path.name}"
    given = {"cloud": "gce", "zones": ["us-east1-b"], "project": "my-project"}
    create_cluster({"name": NAME, "state_store": store, **given}, check_mode=False)
    return UpdateOptions(store, NAME, target="names", out=str(tmp_path / "out"))


def state_of(options: UpdateOptions) -> list[str]:
    stored = [str(each.path) for each in open_path(options.state_store).list_tree()]
    return sorted([*stored, *map(str, Path(options.out).rglob("*"))])


def test_another_target_is_one_row(options: UpdateOptions) -> None:
    before = state_of(options)
    planned = update_cluster(options, check=True)
    assert (planned.changed, planned.files, state_of(options)) == (True, ["names.json"], before)
    lines: list[str] = []
    done = update_cluster(options, progress=lines.append)
    assert done.files == ["names.json"]
    assert lines[-1] == f"wrote 1 files to {options.out}"
    names = json.loads(Path(options.out, "names.json").read_text())
    assert "Address/api-demo-example-com" in names
    kept = {task["task"] for task in done.plan.as_data()}
    assert "Keypair/kubernetes-ca" in kept
    assert kept.isdisjoint(names)
    again = update_cluster(options)
    assert (again.changed, again.files, again.pending) == (False, [], {})


def test_it_says_what_was_done_and_what_comes_next(options: UpdateOptions) -> None:
    told = outcome(update_cluster(options), check=False)
    assert told.values["report"] == [f"{NAME}: 1 files written in {options.out}"]
    assert (told.values["out"], told.values["files"]) == (options.out, ["names.json"])
    assert told.next_steps[0] == f"read {options.out}/names.json aloud"
    assert not [each for each in told.next_steps if "terraform" in each]


def test_what_is_made_directly_is_left_with_all_that_needs_it(
    options: UpdateOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = update_cluster(options, check=True)
    monkeypatch.setattr(Address, "made_directly", property(lambda self: True))
    done = update_cluster(options)
    assert done.written.next_step.endswith("; then kubeops.kops.update_cluster without a target makes the instances")
    names = json.loads(Path(options.out, "names.json").read_text())
    # Workers are told of the address; control planes are not.
    left = [each for each in names if each.startswith(("Address/", "Network/", "InstanceTemplate/"))]
    assert left == ["InstanceTemplate/control-plane-us-east1-b-demo-example-com", "Network/demo-example-com"]
    kept = {task["task"] for task in done.plan.as_data()}
    assert kept < {task["task"] for task in before.plan.as_data()} | {*names}


def test_it_refuses_what_it_does_not_take(options: UpdateOptions) -> None:
    with pytest.raises(KopsError, match="target names needs out, the directory of the list"):
        update_cluster(dataclasses.replace(options, out=""))
    with pytest.raises(KopsError, match="instance_groups and .* are for target direct: a list is whole"):
        update_cluster(dataclasses.replace(options, instance_groups=["nodes"]))
    for target in ("names", "direct"):
        with pytest.raises(KopsError, match="^terraform_variables: true .* is for target terraform$"):
            update_cluster(dataclasses.replace(options, target=target, terraform_variables=True))
    with pytest.raises(KopsError, match="no target 'nowhere'; targets are direct, terraform, cloudformation, names,"):
        target_of(dataclasses.replace(options, target="nowhere"))
    with pytest.raises(KopsError, match=r"release: true .* needs apply: true"):
        target_of(dataclasses.replace(options, release=True))


@pytest.mark.parametrize("check", [True, False])
def test_kinds_that_it_cannot_render_are_told_at_once_and_first(options: UpdateOptions, check: bool) -> None:
    before = state_of(options)
    with pytest.raises(KopsError, match=r"^target postcard cannot be used .*: Address, .*, Disk, .*, Network"):
        update_cluster(dataclasses.replace(options, target="postcard"), check=check)
    assert state_of(options) == before
    assert not ClusterStore.open(options.state_store, NAME).kops_version()


def test_what_the_cloud_will_refuse_of_it_is_a_warning(options: UpdateOptions) -> None:
    store = ClusterStore.open(options.state_store, NAME)
    cluster = store.read_cluster()
    cluster.spec.cloud_labels = {"Team": "a", "fine": "b"}
    store.write_cluster(cluster)
    warnings = update_cluster(options, check=True).plan.warnings
    refused = [each.partition(": ")[2] for each in warnings if "will refuse" in each]
    # Of the control plane, and of the nodes.
    assert refused == ["Google Cloud will refuse the labels Team=a, which kops writes, too"] * 2
    assert len([each for each in warnings if each.startswith("no instance gets the label Team=a: ")]) == 1


def test_rules_about_changes_are_not_asked_of_a_plan_that_another_program_makes(
    options: UpdateOptions, tmp_path: Path
) -> None:
    rule = {"name": "no-networks", "message": "Why.", "about": "change", "kinds": ["Network"], "never": True}
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps({"rules": [rule]}))
    warnings = update_cluster(dataclasses.replace(options, policy=[str(policy)]), check=True).plan.warnings
    assert [each for each in warnings if each.startswith("as The list makes the plan itself")]


def test_hosts_are_not_for_terraform_and_nothing_is_written_before(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/state"
    create_cluster({"name": NAME, "state_store": store, "cloud": "metal", "zones": ["main"]}, check_mode=False)
    options = UpdateOptions(store, NAME, target="terraform", out=str(tmp_path / "out"))
    before = state_of(options)
    with pytest.raises(KopsError, match="target terraform is for clouds"):
        update_cluster(options)
    assert state_of(options) == before
