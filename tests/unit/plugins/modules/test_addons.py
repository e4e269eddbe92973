# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module addons: when the pods that it starts on all nodes spare the validation its own."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call
from ansible_collections.kubeops.kops.plugins.modules import addons
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

LABELS = {"app.kubernetes.io/managed-by": "kops", "addon.kops.k8s.io/name": "networking.flannel"}
CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "flannel", "namespace": "kube-system", "labels": LABELS},
    "data": {"backend": "vxlan"},
}


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeKubernetes]:
    with serving() as fake:
        fake.kubelet = lambda pod: {"phase": "Running", "podIP": "100.96.1.7"}
        fake.add("Namespace", "kube-system")
        fake.add("Node", "w1", status={"conditions": [{"type": "Ready", "status": "True"}]})
        monkeypatch.setattr(addons, "client_of", lambda call: fake.client(check=call.check))
        yield fake


def pods_ran(*objects: dict[str, Any], check: bool = False, **more: Any) -> bool:
    defaults = {name: option.get("default") for name, option in addons.ARGUMENTS.items()}
    given = {"name": "networking.flannel", "objects": list(objects)}
    parameters = {**defaults, "addons": [given], "wait": 10, "pod_image": "pause", **more}
    return bool(addons.run(Call(addons.ARGUMENTS, parameters, check=check)).values["pods_ran"])


def test_pods_count_where_nothing_was_there_before_or_nothing_changed(api: FakeKubernetes) -> None:
    assert pods_ran(CONFIG)
    assert pods_ran(CONFIG)
    labels = {"node-role.kubernetes.io/node": ""}
    assert pods_ran(CONFIG, node_labels={"w1": labels}), "a label does not change the network"


@pytest.mark.parametrize("kept", [True, False])
def test_pods_do_not_count_where_something_that_ran_was_changed(api: FakeKubernetes, kept: bool) -> None:
    """They may have run with the network as it was: it is rolled out after them."""
    assert pods_ran(CONFIG)
    changed = copy.deepcopy(CONFIG)
    changed["data"]["backend"] = "host-gw"
    assert not pods_ran(*([changed] if kept else []))
    assert pods_ran(*([changed] if kept else [])), "the next run finds nothing to change"


def test_nothing_is_started_in_check_mode_or_without_waiting(api: FakeKubernetes) -> None:
    assert not pods_ran(CONFIG, check=True)
    assert not pods_ran(CONFIG, wait=0)
    assert not [each for each in api.requests if each.startswith("POST ")]


def test_pods_do_not_start_while_something_is_rolled_out(api: FakeKubernetes) -> None:
    """As after a run that changed the network and was killed: this run finds nothing to change."""
    agent = {**CONFIG, "apiVersion": "apps/v1", "kind": "DaemonSet", "spec": {"selector": {}}}
    path = "/apis/apps/v1/namespaces/kube-system/daemonsets/flannel"
    done = {"desiredNumberScheduled": 1, "updatedNumberScheduled": 1, "numberAvailable": 1, "observedGeneration": 1}
    pods_ran(CONFIG, agent, wait=0)
    api.objects[path]["status"] = {**done, "updatedNumberScheduled": 0}
    rolled_out: list[bool] = []

    def start(pod: dict[str, Any]) -> dict[str, Any]:
        rolled_out.append(api.objects[path]["status"] == done)
        return {"phase": "Running", "podIP": "100.96.1.7"}

    api.kubelet = start
    threading.Timer(1, lambda: api.objects[path].update(status=done)).start()
    assert pods_ran(CONFIG, agent) == bool(rolled_out)
    assert False not in rolled_out


def test_nodes_have_their_labels_before_a_network_waits_for_what_runs_on_some_of_them(api: FakeKubernetes) -> None:
    """As Cilium's agents do for its operator. A node that registers later is labelled then."""
    labels = {"node-role.kubernetes.io/control-plane": ""}
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    late = threading.Timer(1, api.add, ("Node", "w2"), {"status": ready})
    late.start()
    pods_ran(CONFIG, node_labels={"w1": labels, "w2": labels})
    late.join()
    written = [each.partition("?")[0].rpartition("/")[2] for each in api.requests if each.startswith("PATCH ")]
    # The namespace gets the record of the addons' versions.
    assert written == ["w1", "flannel", "kube-system", "w2"]
