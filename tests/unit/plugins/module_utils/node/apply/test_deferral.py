# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run changes on a working node that it may not interrupt, and what it leaves to a later one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.report import Report
from ansible_collections.kubeops.kops.plugins.module_utils.node.apply import checks
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import Assets
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node

KUBELET = {"name": "kubelet.service", "content": "[Service]\nExecStart=kubelet\n", "restartOn": ["file:/etc/kubelet"]}
PROXY = {
    "name": "kube-proxy",
    "content": "metadata:\n  name: a\n",
    "restartOn": ["file:/etc/hosts"],
    "interrupts": False,
}
MANIFEST = "/etc/kubernetes/manifests/kube-proxy.manifest"
STATE = "/var/lib/kops/state.json"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_STEADY", 0.0)


def parts(**changes: Any) -> dict[str, Any]:
    """A node with a kubelet, kube-proxy, and files for them and for nothing that runs."""
    return {**files(), "units": [KUBELET], "staticPods": [PROXY], **changes}


def files(kubelet: str = "old", hosts: str = "old", certificate: str = "old") -> dict[str, Any]:
    contents = {"/etc/kubelet": kubelet, "/etc/hosts": hosts, "/etc/certificate": certificate}
    return {"files": [{"path": path, "content": content} for path, content in contents.items()]}


def items(found: list[dict[str, Any]]) -> list[str]:
    return [each["item"] for each in found]


def deferred(node: Node, given: dict[str, Any]) -> Report:
    """A run that may not interrupt; check mode has said the same before, and a second run has nothing to do."""
    node.defer = True
    before, told = node.tree(), node.converge(check=True, **given)
    assert node.tree() == before
    node.host.forget_calls()
    done = node.converge(**given)
    made = list(node.host.calls)
    assert (told.changes(), told.deferred_changes()) == (done.changes(), done.deferred_changes())
    again = node.converge(**given)
    assert not again.changed
    # The reload or the restart that it needs as well may have been part of one that was due.
    assert [each for each in again.deferred_changes() if each in done.deferred_changes()] == done.deferred_changes()
    node.defer = False
    node.host.calls[:] = made
    return done


def test_what_interrupts_nothing_is_changed_at_once(node: Node) -> None:
    node.converge(**parts())
    record = json.loads(node.file(STATE).read_text())
    later = parts(**files("new", "new", "new"))
    report = deferred(node, later)
    assert items(report.changes()) == ["file:/etc/hosts", "file:/etc/certificate", "staticPod:kube-proxy"]
    assert items(report.deferred_changes()) == ["file:/etc/kubelet", "unit:kubelet.service"]
    assert node.file("/etc/certificate").read_text() == "new"
    # A restart of the machine would start the kubelet with what it finds.
    assert node.file("/etc/kubelet").read_text() == "old"
    assert 'started-anew: "1"' in node.file(MANIFEST).read_text()
    assert node.host.calls == []
    assert json.loads(node.file(STATE).read_text())["config"] == record["config"]

    node.host.forget_calls()
    assert items(node.converge(**later).changes()) == ["file:/etc/kubelet", "unit:kubelet.service"]
    assert node.host.calls == ["systemctl restart kubelet.service"]
    assert node.file("/etc/kubelet").read_text() == "new"
    assert json.loads(node.file(STATE).read_text())["config"] not in ("", record["config"])


def test_programs_and_manifests_wait_and_nothing_is_fetched(node: Node, assets: Assets) -> None:
    program = {"name": "kubelet", "dest": "/usr/local/bin/kubelet"}
    unit = {**KUBELET, "restartOn": ["download:kubelet"]}
    node.converge(**parts(units=[unit], downloads=[{**program, **assets.add("/1", b"1")}]))
    asked = len(assets.requests)
    new_proxy = {**PROXY, "content": "metadata:\n  name: b\n"}
    later = parts(
        **files(hosts="new"), units=[unit], staticPods=[new_proxy], downloads=[{**program, **assets.add("/2", b"2")}]
    )
    report = deferred(node, later)
    assert items(report.changes()) == ["file:/etc/hosts"]
    waiting = ["download:kubelet", "unit:kubelet.service", "staticPod:kube-proxy"]
    assert items(report.deferred_changes()) == waiting
    assert len(assets.requests) == asked
    assert node.file(MANIFEST).read_text() == PROXY["content"]
    assert items(node.converge(**later).changes()) == waiting
    # It has been restarted with its new manifest, for the hosts file as well.
    assert not node.converge(**later).changed


def test_a_pod_is_restarted_for_what_has_changed_before_its_manifest_was_taken_back(node: Node) -> None:
    node.converge(**parts())
    deferred(node, parts(**files("new", "new"), staticPods=[{**PROXY, "content": "metadata:\n  name: b\n"}]))
    report = node.converge(**parts(**files(hosts="new")))
    assert items(report.changes()) == ["staticPod:kube-proxy"]


def test_taking_back_what_was_deferred_restarts_nothing(node: Node) -> None:
    api_server = {"name": "kube-apiserver", "content": "metadata:\n  name: a\n", "restartOn": ["file:/etc/kubelet"]}
    node.converge(**parts(staticPods=[api_server]))
    report = deferred(node, parts(**files("new", certificate="new"), staticPods=[api_server]))
    assert items(report.deferred_changes()) == ["file:/etc/kubelet", "unit:kubelet.service", "staticPod:kube-apiserver"]
    node.host.forget_calls()
    node.defer = True
    back = node.converge(**parts(staticPods=[api_server]))
    assert (items(back.changes()), back.deferred) == (["file:/etc/certificate"], False)
    assert node.host.calls == []


def test_removals_wait(node: Node) -> None:
    """What still runs may use it."""
    node.converge(**parts())
    later = parts(**files("new"))
    del later["files"][2]
    report = deferred(node, later)
    assert (items(report.changes()), node.file("/etc/certificate").exists()) == ([], True)
    assert "file:/etc/certificate" in items(report.deferred_changes())
    node.converge(**later)
    assert not node.file("/etc/certificate").exists()


def test_a_new_unit_starts_at_once_unless_it_needs_what_is_deferred(node: Node) -> None:
    node.converge(**parts())
    plain = {"name": "plain.service", "content": "[Service]\nExecStart=a\n"}
    needing = {**plain, "name": "needing.service", "restartOn": ["file:/etc/kubelet"]}
    later = parts(**files("new"), units=[KUBELET, plain, needing])
    report = deferred(node, later)
    assert items(report.changes()) == [
        "file:/etc/systemd/system/plain.service",
        "systemd:reload",
        "unit:plain.service",
    ]
    assert "systemctl start plain.service" in node.host.calls
    assert not node.file("/etc/systemd/system/needing.service").exists()
    node.host.forget_calls()
    node.converge(**later)
    assert "systemctl start needing.service" in node.host.calls


def test_a_run_that_ends_in_between_does_not_make_the_node_an_unfinished_one(node: Node) -> None:
    """An unfinished node is completed by the next run, whatever it interrupts."""
    node.converge(**parts())
    later = parts(
        **files("new", "new"), units=[KUBELET, {"name": "new.service", "content": "[Service]\nExecStart=a\n"}]
    )
    node.host.fail["systemctl start new.service"] = CommandOutcome(1, "", "no")
    node.defer = True
    with pytest.raises(KopsError):
        node.converge(**later)
    node.host.fail.clear()
    report = deferred(node, later)
    assert node.file("/etc/kubelet").read_text() == "old"
    assert "file:/etc/kubelet" in items(report.deferred_changes())
    assert "systemctl restart kubelet.service" not in node.host.calls


def test_without_an_interruption_nothing_waits(node: Node) -> None:
    node.converge(**parts())
    node.defer = True
    later = parts(**files(certificate="new"), staticPods=[{**PROXY, "content": "metadata:\n  name: b\n"}])
    report = node.converge(**later)
    assert (report.deferred, items(report.changes())) == (False, ["file:/etc/certificate", "staticPod:kube-proxy"])


QUIET = {
    **KUBELET,
    "restartOn": ["file:/etc/kubelet", "file:/etc/certificate"],
    "quietRestartOn": ["file:/etc/certificate"],
}


def test_a_quiet_restart_does_not_wait(node: Node) -> None:
    """A kubelet gets its renewed certificates without a rolling update."""
    node.converge(**parts(units=[QUIET]))
    node.defer = True
    node.host.forget_calls()
    report = node.converge(**parts(**files(certificate="new"), units=[QUIET]))
    assert (report.deferred, items(report.changes())) == (False, ["file:/etc/certificate", "unit:kubelet.service"])
    assert node.host.calls == ["systemctl restart kubelet.service"]


def test_another_description_of_a_certificate_changes_nothing(node: Node) -> None:
    """The hash is another one, and is recorded; nothing is restarted for it, in a rolling update or beside one."""
    place = {"name": "kubelet-server", "path": "/etc/certificate", "key": "/etc/key"}
    node.converge(**parts(units=[QUIET], certificates=[place]))
    described = {**place, "commonName": "@@NODE_NAME@@", "alternateNames": ["@@INTERNAL_IP@@"], "type": "server"}
    for defer in (True, False):
        node.defer = defer
        node.host.forget_calls()
        report = node.converge(**parts(units=[QUIET], certificates=[described]))
        assert (report.deferred, items(report.changes()), node.host.calls) == (False, [], [])


def test_a_quiet_restart_does_not_find_what_is_deferred(node: Node) -> None:
    node.converge(**parts(units=[QUIET]))
    later = parts(**files("new", certificate="new"), units=[QUIET])
    report = deferred(node, later)
    assert items(report.changes()) == ["file:/etc/certificate", "unit:kubelet.service"]
    assert node.host.calls == ["systemctl restart kubelet.service"]
    assert (node.file("/etc/kubelet").read_text(), node.file("/etc/certificate").read_text()) == ("old", "new")
    node.host.forget_calls()
    assert items(node.converge(**later).changes()) == ["file:/etc/kubelet", "unit:kubelet.service"]
    assert node.host.calls == ["systemctl restart kubelet.service"]
    assert not node.converge(**later).changed


SCHEDULER = {"name": "kube-scheduler", "content": "metadata:\n  name: s\n", "restartOn": ["file:/etc/hosts"]}


def test_a_manifest_that_is_lost_comes_back_at_once(node: Node) -> None:
    """Its pod does not run, so that nothing is interrupted; other changes wait for the rolling update as ever."""
    both = [PROXY, SCHEDULER]
    node.converge(**parts(staticPods=both))
    lost = node.file("/etc/kubernetes/manifests/kube-scheduler.manifest")
    lost.unlink()
    report = deferred(node, parts(staticPods=both))
    assert (items(report.changes()), report.deferred) == (["staticPod:kube-scheduler"], False)
    lost.unlink()
    report = deferred(node, parts(**files("new", hosts="new"), staticPods=both))
    assert items(report.deferred_changes()) == ["file:/etc/kubelet", "unit:kubelet.service"]
    assert lost.read_text().startswith("metadata:")


def test_a_manifest_that_is_lost_waits_for_others_that_get_another_version(node: Node) -> None:
    """A scheduler must not be newer than an API server."""
    server = {"name": "kube-apiserver", "content": "metadata:\n  name: a\n"}
    node.converge(**parts(staticPods=[SCHEDULER, server]))
    lost = node.file("/etc/kubernetes/manifests/kube-scheduler.manifest")
    lost.unlink()
    newer = [{**each, "content": f"{each['content']}spec: {{}}\n"} for each in (SCHEDULER, server)]
    report = deferred(node, parts(staticPods=newer))
    assert items(report.deferred_changes()) == ["staticPod:kube-scheduler", "staticPod:kube-apiserver"]
    assert not lost.exists()
    node.converge(**parts(staticPods=newer))
    assert lost.read_text() == newer[0]["content"]
