# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to addons when it goes wrong, on a real API server: killed anywhere, spoiled requests, two runs at once,
a webhook that does not answer, fields of somebody else. Running again completes.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.apply import apply_addons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.pruned import MANAGER_LABEL, NAME_LABEL
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.faulty_api import (
    LOST,
    UNANSWERED,
    FaultyAPI,
    Request,
    faulty_api,
)
from ansible_collections.kubeops.kops.tests.support.kubernetes import ControlPlane, control_plane

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("kubernetes")]
# A port on which nothing listens.
NOWHERE = "https://127.0.0.1:9/"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with control_plane(tmp_path_factory.mktemp("control-plane")) as started:
        yield started


@pytest.fixture()
def api(running: ControlPlane, tmp_path: pathlib.Path) -> Iterator[FaultyAPI]:
    with faulty_api(running, tmp_path) as between:
        yield between


def obj(kind: str, name: str, addon: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "labels": {MANAGER_LABEL: "kops", NAME_LABEL: addon}}
    if namespace:
        metadata["namespace"] = namespace
    version = {"Deployment": "apps/v1", "CustomResourceDefinition": "apiextensions.k8s.io/v1"}.get(kind, "v1")
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **more}


def deployment(name: str, addon: str, namespace: str, replicas: int = 1) -> dict[str, Any]:
    pod = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "main", "image": "none"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": pod}
    return obj("Deployment", name, addon, namespace, spec=spec)


def definition(addon: str) -> dict[str, Any]:
    group = f"{addon}.example.com"
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    names = {"kind": "Gadget", "plural": "gadgets"}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    return obj("CustomResourceDefinition", f"gadgets.{group}", addon, spec=spec)


def addon(name: str, replicas: int = 1, value: str = "1") -> dict[str, Any]:
    """A namespace of its own with some objects, among them a kind and an object of it."""
    gadget = {**obj("Gadget", "gadget", name, name), "apiVersion": f"{name}.example.com/v1"}
    objects = [obj("Namespace", name, name), definition(name), gadget, deployment("web", name, name, replicas)]
    objects += [obj("ConfigMap", f"settings-{number}", name, name, data={"a": value}) for number in range(4)]
    return {"name": name, "objects": objects}


def missing(client: KubernetesClient, addons: list[dict[str, Any]]) -> list[str]:
    """Names of objects that are not there."""
    objects = [each for given in addons for each in given["objects"]]
    return [each["metadata"]["name"] for each in objects if client.find(client.path_of(each)) is None]


def start(kubeconfig: str, addons: list[dict[str, Any]], wait: int = 0) -> subprocess.Popen[bytes]:
    """The module, in a process of its own."""
    given = {"kubeconfig": kubeconfig, "addons": addons, "wait": wait}
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "plugins" / "modules" / "addons.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps({"ANSIBLE_MODULE_ARGS": given}).encode())
    process.stdin.close()
    process.stdin = None
    return process


def result(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = process.stdout.read(), process.stderr.read()
    process.wait(60)
    assert output, errors.decode()
    return json.loads(output.splitlines()[-1])


def play_kubelet(client: KubernetesClient, namespace: str, ended: threading.Event) -> None:
    """Until the event, say of the namespace's pods that their image does not exist."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    waiting = {"reason": "ImagePullBackOff", "message": "no such image"}
    container = {"name": "main", "image": "none", "imageID": "", "ready": False, "restartCount": 0}
    while not ended.wait(0.1):
        for pod in client.list(path):
            status = {"containerStatuses": [{**container, "state": {"waiting": waiting}}]}
            client.patch(f"{path}/{pod['metadata']['name']}/status", {"status": status})


def test_an_image_that_does_not_exist_is_named_and_other_addons_go_on(running: ControlPlane) -> None:
    ended = threading.Event()
    kubelet = threading.Thread(target=play_kubelet, args=(running.client(), "imageless", ended))
    kubelet.start()
    try:
        failed = result(start(running.kubeconfig, [addon("imageless"), addon("after")], wait=5))
    finally:
        ended.set()
        kubelet.join()
    assert "- Deployment imageless/web has 0 of 1 pods ready\n  pod web-" in failed["msg"]
    assert ", container main: ImagePullBackOff no such image" in failed["msg"]
    assert missing(running.client(), [addon("imageless"), addon("after")]) == []


@contextlib.contextmanager
def killing(api: FaultyAPI, writes: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Kills the process that the test puts into the list, after so many writes: before the next, or right after it."""
    victims: list[subprocess.Popen[bytes]] = []
    before, known = len(api.writes()), threading.Event()

    def spoil(request: Request) -> int:
        known.wait(20)
        if len(api.writes()) - before <= writes:
            return 0
        victims[0].send_signal(signal.SIGKILL)
        return LOST if writes % 2 else UNANSWERED

    api.spoil = spoil
    yield victims
    known.set()


@pytest.mark.parametrize("fault", [429, 500, 503, LOST, UNANSWERED])
def test_spoiled_requests_are_sent_again(api: FaultyAPI, fault: int) -> None:
    numbers = itertools.count()
    # Every third request; the number of attempts at each is limited by time only.
    api.spoil = lambda request: fault if next(numbers) % 3 == 1 else 0
    name = f"spoiled-{abs(fault)}"
    report = apply_addons(api.client(), [addon(name)])
    assert len([step for step in report.steps if step.changed]) == len(addon(name)["objects"])
    assert next(numbers) > len(report.steps)
    assert missing(api.client(), [addon(name)]) == []
    assert not apply_addons(api.client(), [addon(name)]).changed


def test_an_api_server_that_stays_overloaded_is_an_error_that_names_the_objects(api: FaultyAPI) -> None:
    def spoil(request: Request) -> int:
        return 429 if request.is_write and "/namespaces/busy/configmaps" in request.target else 0

    api.spoil = spoil
    others = addon("fine")
    with pytest.raises(KopsError) as raised:
        apply_addons(api.client(deadline=0.5), [addon("busy"), others])
    assert "addon busy cannot be applied:" in str(raised.value)
    for number in range(4):
        assert f"ConfigMap busy/settings-{number}: PATCH " in str(raised.value)
    assert "answers 429" in str(raised.value)
    assert missing(api.client(), [others]) == []
    api.spoil = lambda request: 0
    apply_addons(api.client(), [addon("busy"), others])
    assert missing(api.client(), [addon("busy")]) == []


def test_a_run_that_is_killed_anywhere_is_completed_by_the_next(api: FaultyAPI) -> None:
    kills = 0
    for writes in (0, 1, 2, 4, 7, 3):
        # Something is left to write in each round.
        addons = [addon(name, writes + 1, f"round {writes}") for name in ("killed", "second")]
        with killing(api, writes) as victims:
            victims.append(start(api.kubeconfig, addons))
        # Of one that was not killed in time, nobody would read the output.
        victims[0].communicate(timeout=60)
        kills += victims[0].returncode == -signal.SIGKILL
    assert kills >= 5
    api.spoil = lambda request: 0
    assert "failed" not in result(start(api.kubeconfig, addons))
    assert missing(api.client(), addons) == []
    assert result(start(api.kubeconfig, addons))["changed"] is False


def test_two_runs_at_once(running: ControlPlane) -> None:
    addons = [addon("both"), addon("twice")]
    for process in [start(running.kubeconfig, addons) for _number in range(2)]:
        assert "failed" not in result(process)
    assert missing(running.client(), addons) == []
    assert not apply_addons(running.client(), addons).changed
    # Of two that want different things, one wins; a run after it changes what is left of the other.
    differing = [[addon("both", replicas)] for replicas in (2, 3)]
    for process in [start(running.kubeconfig, each) for each in differing]:
        assert "failed" not in result(process)
    path = "/apis/apps/v1/namespaces/both/deployments/web"
    assert running.client().get(path)["spec"]["replicas"] in (2, 3)
    apply_addons(running.client(), differing[1])
    assert running.client().get(path)["spec"]["replicas"] == 3


def test_a_webhook_that_does_not_answer_keeps_only_its_objects_away(running: ControlPlane) -> None:
    client = running.client()
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["configmaps"]}
    hook = {
        "name": "deny.example.com",
        "rules": [rule],
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 1,
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "hooked"}},
        "clientConfig": {"url": NOWHERE},
    }
    configuration = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "down"},
        "webhooks": [hook],
    }
    client.apply(configuration, "somebody-else")
    addons = [addon("hooked"), addon("unhooked")]
    began = time.monotonic()
    with pytest.raises(KopsError) as raised:
        apply_addons(client, addons, wait=3)
    # The client itself tries other failures of the API server again for 20 seconds, each object by itself.
    assert time.monotonic() - began < 15
    message = str(raised.value)
    assert message.startswith("addon hooked cannot be applied:\n")
    assert "unhooked" not in message
    for number in range(4):
        assert f"ConfigMap hooked/settings-{number}: " in message
    assert 'failed calling webhook "deny.example.com"' in message
    # What starts pods waits for what they need.
    assert set(missing(client, addons)) == {"web", *(f"settings-{number}" for number in range(4))}
    # It answers again while the addons are applied.
    timer = threading.Timer(2, lambda: running.client().delete(client.path_of(configuration)))
    timer.start()
    apply_addons(client, addons, wait=30)
    timer.join()
    assert missing(client, addons) == []
    assert not apply_addons(client, addons).changed


def test_fields_that_somebody_else_has_set_are_taken_over_and_named(running: ControlPlane) -> None:
    client, ours = running.client(), addon("owned")
    apply_addons(client, [ours])
    path = "/apis/apps/v1/namespaces/owned/deployments/web"
    container = {"name": "main", "image": "theirs", "env": [{"name": "MINE", "value": "1"}]}
    theirs = deployment("web", "owned", "owned", replicas=5)
    theirs["spec"]["template"]["spec"] = {"containers": [container]}
    theirs["metadata"]["labels"] = {"team": "a"}
    client.apply(theirs, "argocd")
    for check in (True, False):
        report = apply_addons(running.client(check=check), [ours])
        [step] = [step for step in report.steps if step.changed]
        assert step.item == "Deployment owned/web"
        assert (step.before["spec"]["replicas"], step.after["spec"]["replicas"]) == (5, 1)
        [warning] = report.warnings
        assert warning == (
            "Deployment owned/web: fields that argocd has set get the values of the addon:"
            " spec.replicas, spec.template.spec.containers[name=main].image"
        )
    found = client.get(path)
    # What the addon does not name is theirs.
    assert found["metadata"]["labels"]["team"] == "a"
    assert found["spec"]["template"]["spec"]["containers"][0]["env"] == container["env"]
    again = apply_addons(client, [ours])
    assert (again.changed, again.warnings) == (False, [])


def test_objects_of_others_are_not_pruned(running: ControlPlane) -> None:
    client = running.client()
    kept, gone = addon("pruned"), addon("retired")
    extra = obj("ConfigMap", "extra", "pruned", "pruned", data={"a": "1"})
    apply_addons(client, [{**kept, "objects": [*kept["objects"], extra]}, gone])
    # Copies, with all labels, that somebody else made; and one that only has a part of them.
    copies = [
        obj("ConfigMap", "copy", "pruned", "default", data={"a": "1"}),
        obj("ConfigMap", "copy", "pruned", "pruned", data={"a": "1"}),
        obj("ConfigMap", "other-copy", "retired", "retired", data={"a": "1"}),
    ]
    for copy in copies:
        client.post(client.path_of(copy).rpartition("/")[0], copy)
    partly = obj("ConfigMap", "partly", "pruned", "pruned", data={"a": "1"})
    partly["metadata"]["labels"][MANAGER_LABEL] = "Helm"
    client.apply(partly, "helm")
    report = apply_addons(client, [kept], ["retired"])
    deleted = {step.item for step in report.steps if step.changed and step.after is None}
    assert deleted == {
        "ConfigMap pruned/extra",
        "Deployment retired/web",
        *(f"ConfigMap retired/settings-{number}" for number in range(4)),
    }
    assert missing(client, [{"objects": [*copies, partly]}]) == []
    assert not apply_addons(client, [kept], ["retired"]).changed
