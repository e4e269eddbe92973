# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole node: predicted exactly, made, left alone, kept free of rubbish, and given back."""

from __future__ import annotations

import io
import json
import os
import pathlib
import subprocess
import tarfile
import time
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.apply import checks
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import lock
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import Assets, archive
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node, changed
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.full_config import (
    SECRETS,
    full_config,
    next_config,
)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_STEADY", 0.0)


@pytest.fixture
def full(node: Node, assets: Assets) -> dict[str, Any]:
    node.secrets = dict(SECRETS)
    return full_config(assets)


def test_check_mode_is_exact_and_writes_nothing(node: Node, full: dict[str, Any]) -> None:
    before = node.tree()
    predicted = node.converge_to(full, check=True)
    assert node.tree() == before
    assert node.host.calls == []
    assert predicted.as_dict() == node.converge_to(full).as_dict()


def test_check_mode_is_exact_for_changes(node: Node, full: dict[str, Any], assets: Assets) -> None:
    node.converge_to(full)
    before = node.tree()
    later = next_config(assets)
    predicted = node.converge_to(later, check=True)
    assert node.tree() == before
    assert predicted.as_dict() == node.converge_to(later).as_dict()
    assert not node.converge_to(later).changed


def test_a_second_run_changes_nothing_quickly_and_without_network(
    node: Node, full: dict[str, Any], assets: Assets
) -> None:
    full["checks"] = full["checks"][:1]
    assert node.converge_to(full).changed
    before, asked = node.tree(), len(assets.requests)
    node.host.forget_calls()
    begin = time.process_time()
    report = node.converge_to(full)
    seconds = time.process_time() - begin
    assert changed(report) == []
    assert node.host.calls == []
    assert len(assets.requests) == asked
    after = node.tree()
    assert {name: each for name, each in after.items() if name != "run/kops/converge.lock"} == {
        name: each for name, each in before.items() if name != "run/kops/converge.lock"
    }
    assert seconds < 0.5


def test_order(node: Node, full: dict[str, Any]) -> None:
    items = [step.item for step in node.converge_to(full).steps]
    expected = [
        "package:conntrack",
        "group:kube",
        "user:kops-channels",
        "module:br_netfilter",
        "sysctl:net.ipv4.ip_forward",
        "volume:etcd",
        "directory:/etc/app/secret",
        "link:/usr/local/bin/run-me",
        "file:/etc/app/kubelet.conf",
        "download:kubelet",
        "unit:containerd.service",
        "unit:kubelet.service",
        "image:example.com/pause:1",
        "staticPod:kube-proxy",
    ]
    assert [item for item in items if item in expected] == expected


def test_the_record_names_the_configuration_once_it_is_through(node: Node, full: dict[str, Any]) -> None:
    report = node.converge_to(full)
    record = node.file("/var/lib/kops/state.json")
    assert json.loads(record.read_text())["config"] == report.hash
    node.host.fail["systemctl restart kubelet"] = CommandOutcome(1, "", "no")
    full["files"][0]["content"] = "other"
    with pytest.raises(KopsError):
        node.converge_to(full)
    assert json.loads(record.read_text())["config"] == ""


def test_a_newer_version_brings_and_takes(node: Node, full: dict[str, Any], assets: Assets) -> None:
    node.converge_to(full)
    report = node.converge_to(next_config(assets))
    binaries = node.file("/usr/local/bin")
    assert sorted(os.listdir(binaries)) == ["containerd", "kubelet", "run-me", "shim"]
    assert binaries.joinpath("containerd").read_bytes().startswith(b"containerd 2.2")
    assert os.listdir(node.file("/etc/kubernetes/manifests")) == ["kube-scheduler.manifest"]
    assert not node.file("/etc/systemd/system/setup.service").exists()
    assert node.host.state["units"]["setup.service"]["enabled"] == "disabled"
    assert node.file("/proc/sys/net/ipv4/conf/lxc1/rp_filter").read_text().strip() == "1"
    assert "kops-channels" not in node.file("/etc/passwd").read_text()
    download = next(step for step in report.steps if step.item == "download:containerd")
    assert (download.before["version"], download.after["version"]) == ("2.1", "2.2")
    cached = set(os.listdir(node.file("/var/cache/kops/downloads")))
    assert cached == {each["sha256"] for each in next_config(assets)["downloads"]}


def test_a_program_that_was_tampered_with_is_put_back_from_the_cache(
    node: Node, full: dict[str, Any], assets: Assets
) -> None:
    full["checks"] = []
    node.converge_to(full)
    asked = len(assets.requests)
    kubelet, plugin = node.file("/usr/local/bin/kubelet"), node.file("/opt/cni/bin/lo")
    right = kubelet.read_bytes()
    kubelet.write_bytes(right.replace(b"1", b"2"))
    plugin.unlink()
    node.host.forget_calls()
    assert changed(node.converge_to(full)) == [
        "download:kubelet",
        "download:cni",
        "unit:containerd.service",
        "unit:kubelet.service",
    ]
    assert (kubelet.read_bytes(), plugin.read_bytes()) == (right, b"loopback")
    assert len(assets.requests) == asked
    assert node.host.calls == ["systemctl restart containerd.service", "systemctl restart kubelet.service"]


def test_a_program_that_was_only_touched_is_left_alone(node: Node, full: dict[str, Any]) -> None:
    node.converge_to(full)
    os.utime(node.file("/usr/local/bin/kubelet"), (1, 1))
    assert not node.converge_to(full).changed


def test_a_corrupted_download_is_refused_before_anything_is_placed(
    node: Node, full: dict[str, Any], assets: Assets
) -> None:
    assets.wrong.add("/kubelet")
    with pytest.raises(KopsError, match="download:kubelet cannot be downloaded:\n.* the checksum is"):
        node.converge_to(full)
    assert os.listdir(node.file("/usr/local/bin")) == []
    assert node.host.calls == []
    assets.wrong.clear()
    assert node.converge_to(full).changed


def test_an_archive_without_what_is_wanted(node: Node, assets: Assets, full: dict[str, Any]) -> None:
    full["downloads"][2]["unpack"].append({"member": "bin/none", "dest": "/opt/none"})
    with pytest.raises(KopsError, match="download:cni: the archive has no bin/none"):
        node.converge_to(full)


def test_an_archive_is_decompressed_once(node: Node, assets: Assets, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the names of its members are not known before: a node's archives have 200 MB in all."""
    read = []

    class Counted(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            content = super().read(-1 if size is None else size) or b""
            read.append(len(content))
            return content

    content, opened = archive({name: os.urandom(1 << 19) for name in ("./a", "./b", "./c")}), tarfile.open
    monkeypatch.setattr(tarfile, "open", lambda path: opened(fileobj=Counted(path)))
    download = {"name": "x", **assets.add("/x", content), "unpack": [{"member": "*", "dest": "/opt/x/"}]}
    node.converge(downloads=[download])
    assert sorted(os.listdir(node.file("/opt/x"))) == ["a", "b", "c"]
    assert sum(read) < 1.2 * len(content)


def test_what_is_no_archive(node: Node, assets: Assets) -> None:
    download = {"name": "x", **assets.add("/x", b"text"), "unpack": [{"member": "x", "dest": "/opt/x"}]}
    with pytest.raises(KopsError, match="download:x cannot be unpacked: file could not be opened"):
        node.converge(downloads=[download])


def test_removal_restores_the_machine(node: Node, full: dict[str, Any]) -> None:
    before = node.tree()
    node.converge_to(full)
    predicted = node.remove_node(check=True)
    report = node.remove_node()
    assert predicted.as_dict() == report.as_dict()

    def without_times(tree: dict[str, Any]) -> dict[str, Any]:
        return {name: each[:2] for name, each in tree.items() if not name.startswith(("proc/", "run/", "run"))}

    assert without_times(node.tree()) == without_times(before)
    assert node.file("/proc/sys/net/ipv4/ip_forward").read_text() == "0\n"
    assert node.host.state["packages"]["socat"] == "ii "
    units = node.host.state["units"]
    assert {(unit["active"], unit["enabled"]) for unit in units.values()} == {("inactive", "disabled")}
    assert not node.remove_node().changed


def test_one_run_at_a_time(node: Node) -> None:
    path = node.file(lock.PATH)
    path.parent.mkdir(parents=True)
    path.write_text("4711\n")
    holder = subprocess.Popen(["flock", str(path), "sleep", "30"])
    try:
        while subprocess.run(["flock", "--nonblock", str(path), "true"], check=False).returncode == 0:
            time.sleep(0.01)
        for check in (False, True):
            with pytest.raises(KopsError, match=r"another run is converging this node \(process 4711\), still after"):
                node.converge(check=check, files=[{"path": "/etc/x", "content": ""}])
    finally:
        subprocess.run(["pkill", "-P", str(holder.pid)], check=False)
        holder.wait()
    assert node.converge(files=[{"path": "/etc/x", "content": ""}]).changed


@pytest.mark.parametrize("content", ["{", '{"schema": 99}'])
def test_a_record_that_cannot_be_read_is_not_guessed_at(node: Node, content: str) -> None:
    path = node.file("/var/lib/kops/state.json")
    path.parent.mkdir(parents=True)
    path.write_text(content)
    with pytest.raises(KopsError, match=r"the record .*state.json"):
        node.converge(files=[{"path": "/etc/x", "content": ""}])
    assert not node.file("/etc/x").exists()


def test_no_secret_in_messages_of_commands(node: Node) -> None:
    node.secrets = {"kubeconfig": b'user:\n  token: "abcdef123456abcdef"\n', "pin": b"9876"}
    node.host.fail["apt-get"] = CommandOutcome(1, "", "cannot log in with abcdef123456abcdef and 9876")
    with pytest.raises(KopsError) as caught:
        node.converge(packages=[{"name": "x"}])
    assert "cannot log in with (hidden) and (hidden)" in str(caught.value)


@pytest.mark.skipif(os.getuid() != 0, reason="mounting a small filesystem needs root")
def test_a_disk_that_fills_up_and_is_freed_again(tmp_path: pathlib.Path, assets: Assets) -> None:
    root = tmp_path / "small"
    root.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "none", root], check=False)
    if mounted.returncode != 0:
        pytest.skip("a small filesystem cannot be mounted here")
    try:
        node = Node(root / "root")
        content = os.urandom(14 << 20)
        download = {"name": "big", **assets.add("/big", content), "dest": "/opt/big"}
        ballast = root / "ballast"
        ballast.write_bytes(bytes(16 << 20))
        with pytest.raises(KopsError, match="no space: "):
            node.converge(downloads=[download])
        assert not node.file("/opt/big").exists()
        assert [path.name for path in node.root.rglob("*.kops-new")] == []
        ballast.unlink()
        node.converge(downloads=[download])
        assert node.file("/opt/big").read_bytes() == content
    finally:
        subprocess.run(["umount", root], check=True)


def test_downloads_and_commands_use_the_proxy_of_the_environment(
    node: Node, assets: Assets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy is asked for whole URLs."""
    monkeypatch.setenv("https_proxy", "http://of-the-user")
    url = "http://downloads.example.invalid/tool"
    download = {"name": "tool", **assets.add(url, b"tool"), "urls": [url], "dest": "/usr/local/bin/tool"}
    seen = []
    run = node.host.run

    def noted(*command: str, **more: Any) -> CommandOutcome:
        seen.append((command[0], os.environ.get("http_proxy"), os.environ["https_proxy"]))
        return run(*command, **more)

    monkeypatch.setattr(node.host, "run", noted)
    environment = {"http_proxy": assets.url, "https_proxy": assets.url, "no_proxy": "localhost"}
    node.converge(downloads=[download], packages=[{"name": "socat"}], environment=environment)
    assert node.file("/usr/local/bin/tool").read_bytes() == b"tool"
    assert assets.requests == [(url, "")]
    assert ("apt-get", assets.url, assets.url) in seen
    assert (os.environ.get("http_proxy"), os.environ["https_proxy"]) == (None, "http://of-the-user")
