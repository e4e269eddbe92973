# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has set which fields of an object, and who has lost some."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.owners import is_ours, taken_over


def managed(*entries: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"metadata": {"managedFields": [{"manager": name, "fieldsV1": fields} for name, fields in entries]}}


def test_fields_that_others_have_lost() -> None:
    item = 'k:{"name":"main"}'
    theirs = {"f:spec": {"f:replicas": {}, "f:list": {item: {".": {}, "f:image": {}, "f:env": {}}}}}
    left = {"f:spec": {"f:list": {item: {".": {}, "f:env": {}}}}}
    ours = {"f:spec": {"f:paused": {}}}
    before, after = managed(("kops", ours), ("edit", theirs), ("b", ours)), managed(("edit", left))
    assert taken_over(before, after) == {
        "edit": ["spec.list[name=main].image", "spec.replicas"],
        "b": ["spec.paused"],
    }
    assert taken_over(before, before) == {}
    assert taken_over(None, after) == {}


def test_values_of_sets_are_named() -> None:
    theirs = {"f:metadata": {"f:finalizers": {'v:"a"': {}}}}
    assert taken_over(managed(("edit", theirs)), managed()) == {"edit": ['metadata.finalizers["a"]']}


def test_an_object_is_ours_if_it_was_applied_here_or_by_kops() -> None:
    assert is_ours(managed(("edit", {}), ("kops", {})))
    assert not is_ours(managed(("kops-controller", {})))
    assert not is_ours({"metadata": {}})
