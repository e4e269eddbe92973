# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has left an addon of a channel is deleted as the channel says, but only what was applied as part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.apply import apply_addons
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving


@pytest.fixture(name="api")
def start_api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        yield fake


def metadata(addon: str = "web", manager: str = "kops", **labels: str) -> dict[str, Any]:
    return {
        "annotations": {"kubeops.kops/addon": addon},
        "labels": labels or {"app": "web"},
        "managedFields": [{"manager": manager, "operation": "Apply"}],
    }


def addon(*kinds: dict[str, Any], objects: tuple[dict[str, Any], ...] = ()) -> list[dict[str, Any]]:
    return [{"name": "web", "objects": list(objects), "pruned": list(kinds)}]


def deleted(api: FakeKubernetes, *kinds: dict[str, Any], objects: tuple[dict[str, Any], ...] = ()) -> list[str]:
    """What a run deletes, after check mode has said the same and changed nothing."""
    before = dict(api.objects)
    ahead = apply_addons(api.client(check=True), addon(*kinds, objects=objects))
    assert api.objects == before
    done = apply_addons(api.client(), addon(*kinds, objects=objects))
    gone = [[step.item for step in report.steps if step.changed and step.after is None] for report in (ahead, done)]
    assert gone[0] == gone[1]
    return sorted(gone[1])


def test_only_what_carries_the_addon_s_name_is_deleted(api: FakeKubernetes) -> None:
    api.add("ConfigMap", "left", "web", metadata=metadata())
    api.add("ConfigMap", "of-another-addon", "web", metadata=metadata("other"))
    api.add("ConfigMap", "of-a-user", "web", metadata={**metadata(), "annotations": {}})
    api.add("ConfigMap", "copy", "web", metadata=metadata(manager="kubectl-client-side-apply"))
    api.add("ConfigMap", "going", "web", metadata={**metadata(), "deletionTimestamp": "2026-01-01T00:00:00Z"})
    assert deleted(api) == [], "a channel that says nothing"
    assert deleted(api, {"kind": "ConfigMap"}) == ["ConfigMap web/left"]


def test_what_is_selected(api: FakeKubernetes) -> None:
    for name, namespace, app in (("a", "one", "web"), ("b", "two", "web"), ("c", "three", "web"), ("d", "one", "db")):
        api.add("ConfigMap", name, namespace, metadata=metadata(app=app))
    api.add("Deployment", "e", "one", "apps/v1", metadata=metadata())
    config = {"kind": "ConfigMap", "labelSelector": "app=web", "namespaces": ["one", "two"]}
    deployment = {"group": "apps", "kind": "Deployment"}
    # The kind Deployment is in no other group; kinds that the cluster does not know have no objects.
    assert deleted(api, {"kind": "Deployment"}, {"group": "nothing.example.com", "kind": "Deployment"}) == []
    assert deleted(api, config, deployment, config) == ["ConfigMap one/a", "ConfigMap two/b", "Deployment one/e"]


def test_what_the_addon_still_has_is_kept(api: FakeKubernetes) -> None:
    annotations = metadata()["annotations"]
    kept = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept", "annotations": annotations}}
    api.add("Namespace", "default")
    api.add("ConfigMap", "left", "default", metadata=metadata())
    assert deleted(api, {"kind": "ConfigMap"}, objects=(kept,)) == ["ConfigMap default/left"]
    assert "/api/v1/namespaces/default/configmaps/kept" in api.objects, "without a namespace it is in default"


def test_namespaces_and_definitions_of_kinds_are_never_deleted(api: FakeKubernetes) -> None:
    definition = "apiextensions.k8s.io"
    api.add("Namespace", "web", metadata=metadata())
    api.add("CustomResourceDefinition", "things.example.com", "", f"{definition}/v1", metadata=metadata())
    assert deleted(api, {"kind": "Namespace"}, {"group": definition, "kind": "CustomResourceDefinition"}) == []


def test_the_label_of_other_addons_says_nothing(api: FakeKubernetes) -> None:
    labels = {"app.kubernetes.io/managed-by": "kops", "addon.kops.k8s.io/name": "web"}
    api.add("ConfigMap", "web", "web", metadata={**metadata(), "labels": labels})
    assert deleted(api) == []


def test_an_addon_with_a_refused_object_is_not_pruned(api: FakeKubernetes) -> None:
    api.add("ConfigMap", "left", "web", metadata=metadata())
    refused = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web"}, "refused": True}
    with pytest.raises(KopsError, match="addon web cannot be applied"):
        apply_addons(api.client(), addon({"kind": "ConfigMap"}, objects=(refused,)))
    assert "/api/v1/namespaces/web/configmaps/left" in api.objects
