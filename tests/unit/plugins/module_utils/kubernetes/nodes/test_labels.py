# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels that nodes are given: those of others stay, those that are not wanted any more go."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.labels import label_nodes
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        yield fake


def labels(api: FakeKubernetes, name: str) -> dict[str, str]:
    return api.objects[f"/api/v1/nodes/{name}"]["metadata"]["labels"]


def test_nodes_are_labelled_once(api: FakeKubernetes) -> None:
    api.add("Node", "n1", metadata={"labels": {"zone": "a", "role": "old"}})
    wanted = {"n1": {"role": "", "group": "nodes"}}
    (step,) = label_nodes(api.client(check=True), wanted, 0)
    assert (step.changed, api.writes()) == (True, [])
    (step,) = label_nodes(api.client(), wanted, 0)
    assert (step.item, step.before, step.after) == ("Node n1", {"role": "old"}, {"group": "nodes", "role": ""})
    assert labels(api, "n1") == {"zone": "a", "role": "", "group": "nodes"}
    before = len(api.requests)
    (step,) = label_nodes(api.client(), wanted, 0)
    assert not step.changed
    assert len(api.requests) - before == 2, "one list tells of all nodes"


def test_a_label_that_is_not_wanted_any_more_goes(api: FakeKubernetes) -> None:
    api.add("Node", "n1", metadata={"labels": {"zone": "a"}})
    label_nodes(api.client(), {"n1": {"role": "", "tier": "x"}}, 0)
    (step,) = label_nodes(api.client(), {"n1": {"role": ""}}, 0)
    assert (step.before, step.after) == ({"tier": "x"}, None)
    assert labels(api, "n1") == {"zone": "a", "role": ""}
    assert not label_nodes(api.client(), {"n1": {"role": ""}}, 0)[0].changed


def test_nodes_that_register_late_are_waited_for(api: FakeKubernetes) -> None:
    later = threading.Timer(0.5, lambda: api.add("Node", "n1"))
    later.start()
    (step,) = label_nodes(api.client(), {"n1": {"role": ""}}, 20)
    later.join()
    assert step.changed


def test_nodes_that_never_register(api: FakeKubernetes) -> None:
    api.add("Node", "n1")
    with pytest.raises(KopsError, match="these nodes did not register: n2, n3"):
        label_nodes(api.client(), {"n1": {}, "n2": {}, "n3": {}}, 0.1)
    assert "/api/v1/nodes/n2" not in api.objects
    assert label_nodes(api.client(check=True), {"n2": {"role": ""}}, 60) == []
    assert label_nodes(api.client(), {"n2": {"role": ""}}, 0) == []
