# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An unchanged run asks a real API server little, however many addons there are, and notices every change by hand."""

from __future__ import annotations

import copy
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.applied import is_as_applied
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.apply import apply_addons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.object_names import title
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.settings import with_settings
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient, KubernetesError
from ansible_collections.kubeops.kops.tests.bench.addons import addons
from ansible_collections.kubeops.kops.tests.support.faulty_api import faulty_api
from ansible_collections.kubeops.kops.tests.support.kubernetes import ControlPlane, control_plane

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("kubernetes")]
# Fields that are not applied, and labels by which the objects are found.
KEPT = ("apiVersion", "kind", "status", "name", "namespace", "labels")
MOST = 40


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with control_plane(tmp_path_factory.mktemp("control-plane")) as started:
        yield started


def test_requests_of_an_unchanged_run_do_not_grow_with_addons(running: ControlPlane, tmp_path: pathlib.Path) -> None:
    requests = {}
    for count in (12, 1):
        given = addons(count)
        apply_addons(running.client(), given)
        with faulty_api(running, tmp_path) as between:
            report = apply_addons(between.client(), given)
        assert (report.changed, between.writes()) == (False, [])
        assert len(report.steps) == sum(len(addon["objects"]) for addon in given)
        requests[count] = len(between.requests)
    assert requests[12] == requests[1] < MOST


def other(value: Any) -> Any:
    """Another value that may be as valid."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return f"{value}x"


def without_nothing(item: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in item.items() if each is not None}


def changes(wanted: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Paths of fields, and a value that somebody could give them; None removes the field."""
    for name, value in wanted.items():
        if name in KEPT:
            continue
        if isinstance(value, dict) and value:
            yield from changes(value, (*path, name))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for at, (inner, changed) in enumerate(changes(value[0])):
                if at < 4:
                    edited = copy.deepcopy(value)
                    parent = edited[0]
                    for key in inner[:-1]:
                        parent = parent[key]
                    parent[inner[-1]] = changed
                    yield (*path, name), [without_nothing(item) for item in edited]
        elif not isinstance(value, (dict, list)) and value is not None:
            yield (*path, name), other(value)
            yield (*path, name), None


def nested(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    for name in reversed(path):
        value = {name: value}
    return value


def find(client: KubernetesClient, obj: dict[str, Any]) -> dict[str, Any]:
    # As a list has it.
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], **client.get(client.path_of(obj))}


def changed_by(client: KubernetesClient, wanted: dict[str, Any]) -> bool:
    """Whether to apply it changes something, or is refused, for example for a list with another item of the name."""
    try:
        return client.apply(wanted).changed
    except KubernetesError:
        return True


def test_what_somebody_changes_is_noticed(running: ControlPlane) -> None:
    client, dry = running.client(), running.client(check=True)
    [addon] = addons(1)
    apply_addons(client, [addon])
    edits = missed = 0
    for wanted in with_settings(addon["objects"]):
        path = client.path_of(wanted)
        assert is_as_applied(find(client, wanted), wanted), title(wanted)
        for at, value in [*changes(wanted), (("metadata", "labels", "addon.kops.k8s.io/name"), None)]:
            try:
                client.patch(path, nested(at, value))
            except KubernetesError:
                # Not valid, or the field may not change.
                continue
            edits += 1
            present = find(client, wanted)
            # The controller manager may write the number of a rollout meanwhile, which looks like a change once.
            if all(changed_by(dry, wanted) for _again in range(3)):
                assert not is_as_applied(present, wanted), (title(wanted), at, value)
            else:
                missed += not is_as_applied(present, wanted)
            if changed_by(client, wanted) and not is_as_applied(find(client, wanted), wanted):
                # An item that was added to a list stays.
                client.delete(path)
                client.apply(wanted)
    print(f"{edits} changes by hand, {missed} of them seen although they change nothing")
    assert edits > 50
    assert missed <= edits // 4


def test_what_is_wanted_otherwise_is_noticed(running: ControlPlane) -> None:
    client, addon = running.client(), addons(20)[-1]
    apply_addons(client, [addon])
    for wanted in with_settings(addon["objects"]):
        present = find(client, wanted)
        assert is_as_applied(present, wanted)
        more = copy.deepcopy(wanted)
        more["metadata"].setdefault("annotations", {})["one"] = "more"
        fewer = copy.deepcopy(wanted)
        del fewer["metadata"]["labels"]["k8s-addon"]
        assert not is_as_applied(present, more)
        assert not is_as_applied(present, fewer)
        assert not is_as_applied(None, wanted)


def test_what_somebody_deletes_comes_back(running: ControlPlane) -> None:
    client = running.client()
    given = addons(2)
    apply_addons(client, given)
    for obj in given[1]["objects"]:
        client.delete(client.path_of(obj))
        report = apply_addons(client, given)
        assert [step.item for step in report.steps if step.changed] == [title(obj)]
