# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An instance of a group with a warm pool: it is prepared, stopped, and becomes a node when it starts again."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import warm_pool
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.boot.conftest import (
    CONFIG,
    Served,
    Setting,
    named,
)

POOL = {"images": ["registry/a:1", "registry/b:2"], "group": "nodes.demo.example.com", "hook": "kops-warmpool"}
UNIT = "[Service]\nExecStart=/bin/true\n"
WARM = {
    **CONFIG,
    "units": [
        {"name": f"{name}.service", "content": UNIT, "enabled": True, "state": "started"}
        for name in ("containerd", "kubelet")
    ],
    "staticPods": [{"name": "kube-proxy", "content": "kind: Pod\nmetadata:\n  name: kube-proxy\n"}],
    "checks": [{"name": "kubelet", "kind": "file", "target": "/run/kubelet-works", "deadline": 0}],
    "warmPool": POOL,
}
MANIFEST = "/etc/kubernetes/manifests/kube-proxy.manifest"


class Host:
    """Pulls images. broken: those that no registry has."""

    def __init__(self, setting: Setting, broken: str = "none") -> None:
        self.pulled: list[str] = []
        self._run, self._broken = setting.node.host.run, broken

    def run(self, *command: str, **more: Any) -> CommandOutcome:
        if command[0] != "ctr":
            return self._run(*command, **more)
        assert command[1:-1] == ("--namespace=k8s.io", "images", "pull", "--hosts-dir=/etc/containerd/certs.d")
        self.pulled.append(command[-1])
        return CommandOutcome(1, "", "not found") if command[-1] == self._broken else CommandOutcome(0)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_pool, "_PAUSE", 0.0)
    monkeypatch.setattr(warm_pool, "PARALLEL", 1)


@pytest.fixture()
def warm(worker: tuple[Setting, Served], monkeypatch: pytest.MonkeyPatch) -> tuple[Setting, Served, Host]:
    setting, served = worker
    served.config = WARM
    setting.boot["nodeConfigs"] = named(WARM)
    setting.instance.is_warmed = True
    host = Host(setting, broken="registry/b:2")
    monkeypatch.setattr(setting.node.host, "run", host.run)
    return setting, served, host


def units(setting: Setting) -> dict[str, tuple[str, str]]:
    found = setting.node.host.state["units"]
    return {name: (each.get("enabled", ""), each.get("active", "")) for name, each in found.items()}


def test_it_is_prepared_and_its_group_is_told(warm: tuple[Setting, Served, Host], capsys: Any) -> None:
    setting, _served, host = warm
    changed = setting.start()
    assert {"file:/var/lib/kubelet/kubeconfig", "unit:containerd.service"} <= set(changed)
    assert units(setting)["containerd.service"] == ("enabled", "active")
    assert units(setting).get("kubelet.service", ("", "")) in (("", ""), ("disabled", "inactive"))
    assert not setting.node.file(MANIFEST).exists()
    assert host.pulled == ["registry/a:1", "registry/b:2", "registry/b:2", "registry/b:2"]
    assert setting.instance.told == [("nodes.demo.example.com", "kops-warmpool")]
    said = capsys.readouterr().out
    assert "kubeops: registry/b:2 is not pulled in advance: 'ctr" in said
    assert said.splitlines()[-2:] == [
        "kubeops: the group nodes.demo.example.com knows that this instance is ready",
        "kubeops: this machine is ready for its warm pool now",
    ]


def test_it_becomes_a_node_when_it_starts_again_and_asks_no_server(warm: tuple[Setting, Served, Host]) -> None:
    setting, served, host = warm
    setting.start()
    host.pulled.clear()
    setting.instance.is_warmed = False
    setting.node.file("/run/kubelet-works").touch()
    assert {"unit:kubelet.service", "staticPod:kube-proxy"} <= set(setting.start())
    assert units(setting)["kubelet.service"] == ("enabled", "active")
    assert len(served.asked) == 1
    assert [image for image in host.pulled if image in POOL["images"]] == []
    # The hook is for every launch: the group waits for an instance that comes out of the pool, too.
    assert len(setting.instance.told) == 2


def test_certificates_that_ended_in_the_pool_are_asked_for_again(warm: tuple[Setting, Served, Host]) -> None:
    setting, served, _host = warm
    served.now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=430)
    setting.start()
    served.now, setting.instance.is_warmed = None, False
    setting.node.file("/run/kubelet-works").touch()
    setting.start()
    assert len(served.asked) == 2


def test_without_a_hook_nobody_waits(warm: tuple[Setting, Served, Host]) -> None:
    setting, served, _host = warm
    served.config = {**WARM, "warmPool": {**POOL, "hook": ""}}
    setting.start(nodeConfigs=named(served.config))
    assert setting.instance.told == []


def test_looking_pulls_and_tells_nothing(warm: tuple[Setting, Served, Host], capsys: Any) -> None:
    setting, _served, host = warm
    setting.start(check=True)
    assert (host.pulled, setting.instance.told) == ([], [])
    assert "this machine would become ready for its warm pool" in capsys.readouterr().out


def test_a_group_without_a_pool_is_not_asked_for_its_state(worker: tuple[Setting, Served]) -> None:
    setting, _served = worker
    setting.instance.is_warmed = True
    setting.start()
    assert setting.instance.told == []
    assert json.loads(setting.path.read_text())["role"] == "Node"
