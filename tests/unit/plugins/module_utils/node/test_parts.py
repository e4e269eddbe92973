# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages, accounts, kernel, volumes, images, static pods, checks: each by itself."""

from __future__ import annotations

import http.server
import queue
import threading
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError, KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.apply import checks
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import Assets
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node, changed
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.fake_host import OWNER


def keep(node: Node, **parts: Any) -> None:
    state = node.host.state
    node.host._keep({**state, **parts})


def test_only_missing_packages_are_installed_and_together(node: Node) -> None:
    keep(node, packages={"a": "ii ", "removed": "rc "})
    node.converge(packages=[{"name": name} for name in ("a", "b", "removed")])
    assert node.host.calls[-1].endswith("install --no-install-recommends b removed")
    assert len(node.host.calls) == 2


def test_an_interrupted_installation_is_ended_first(node: Node) -> None:
    keep(node, packages={"a": "iF "})
    node.converge(packages=[{"name": "a"}])
    assert node.host.calls[0] == "dpkg --configure -a"


def test_lists_that_cannot_be_refreshed_matter_only_if_they_do(node: Node) -> None:
    node.host.fail["apt-get --yes -o DPkg::Lock::Timeout=300 update"] = CommandOutcome(100, "", "E: no network")
    assert node.converge(packages=[{"name": "a"}]).changed
    node.host.fail["apt-get --yes -o DPkg::Lock::Timeout=300 -o"] = CommandOutcome(
        100, "", "E: Unable to locate package b"
    )
    with pytest.raises(KopsError, match=r"(?s)E: Unable to locate package b\nand before that .*E: no network"):
        node.converge(packages=[{"name": "b"}])


def test_packages_are_held_and_released(node: Node) -> None:
    node.converge(packages=[{"name": "a", "hold": True}])
    assert not node.converge(packages=[{"name": "a", "hold": True}]).changed
    assert changed(node.converge(packages=[{"name": "a"}])) == ["package:a"]
    assert node.host.state["packages"] == {"a": "ii "}


def test_accounts_are_made_changed_and_only_ours_removed(node: Node) -> None:
    node.file("/etc/passwd").write_text(f"root:x:{OWNER}:root:/root:/bin/bash\ntheirs:x:700:700::/:/bin/sh\n")
    users = [
        {"name": "ours", "uid": 10013, "home": "/var/lib/kops", "shell": "/sbin/nologin"},
        {"name": "theirs", "shell": "/bin/false", "groups": ["kube"]},
    ]
    node.converge(users=users, groups=[{"name": "kube", "gid": 10000}])
    assert node.host.calls == [
        "groupadd --gid 10000 kube",
        "useradd --no-create-home --uid 10013 --home-dir /var/lib/kops --shell /sbin/nologin ours",
        "usermod --shell /bin/false --groups kube --append theirs",
    ]
    node.file("/etc/passwd").write_text(node.file("/etc/passwd").read_text().replace("/:/bin/sh", "/:/bin/false"))
    node.file("/etc/group").write_text(
        node.file("/etc/group").read_text().replace("kube:x:10000:", "kube:x:10000:theirs")
    )
    assert not node.converge(users=users, groups=[{"name": "kube", "gid": 10000}]).changed
    node.host.forget_calls()
    node.converge()
    theirs = "usermod --uid 700 --gid 700 --home / --shell /bin/sh --groups  theirs"
    assert node.host.calls == [theirs, "userdel ours", "groupdel kube"]


def test_files_of_a_user_that_is_made_in_the_same_run(node: Node) -> None:
    name = OWNER.partition(":")[0]
    files = [{"path": "/srv/x", "content": "", "owner": name, "group": "root"}]
    assert not [step for step in node.converge(files=files).steps if not step.changed]
    with pytest.raises(KopsError, match="user nobody-here does not exist"):
        node.converge(files=[{"path": "/srv/y", "content": "", "owner": "nobody-here"}])


def test_modules_that_are_loaded_built_in_missing(node: Node) -> None:
    names = ("ext4", "nf_tables", "nf-conntrack", "br_netfilter", "ip_vs")
    node.file("/sys/module/nf_conntrack").mkdir(parents=True)
    report = node.converge(kernelModules=[{"name": name} for name in names])
    assert changed(report) == ["module:br_netfilter", "file:/etc/modules-load.d/kops.conf"]
    assert report.warnings == ["module:ip_vs: the kernel 6.1.0-test has no such module"]
    assert (
        node.file("/etc/modules-load.d/kops.conf").read_text()
        == "# Kept by kops.\next4\nnf_tables\nnf-conntrack\nbr_netfilter\n"
    )


def test_settings(node: Node) -> None:
    sysctls = [
        {"key": "net.ipv4.tcp_rmem", "value": "4096 131072 6291456"},
        {"key": "net.ipv4.conf.lxc*.rp_filter", "value": "0"},
        {"key": "net/ipv4/ip_forward", "value": 1},
        {"key": "no.such.thing", "value": "1"},
    ]
    report = node.converge(sysctls=sysctls)
    assert changed(report) == [
        "sysctl:net.ipv4.conf.lxc1.rp_filter",
        "sysctl:net.ipv4.ip_forward",
        "file:/etc/sysctl.d/99-k8s-general.conf",
    ]
    assert report.warnings == ["sysctl:no.such.thing: the kernel has no such setting"]
    assert node.file("/proc/sys/net/ipv4/ip_forward").read_text() == "1\n"


def test_a_setting_that_was_empty_is_empty_again(node: Node) -> None:
    """The kernel ignores a write of nothing; an empty line is no value."""
    path = node.file("/proc/sys/net/ipv4/ip_local_reserved_ports")
    path.write_text("\n")
    node.converge(sysctls=[{"key": "net.ipv4.ip_local_reserved_ports", "value": "30000-32767"}])
    assert path.read_text() == "30000-32767\n"
    assert "sysctl:net.ipv4.ip_local_reserved_ports" in changed(node.remove_node())
    assert path.read_text() == "\n"


def test_a_setting_that_cannot_be_set_matters_if_it_is_required(node: Node) -> None:
    sysctls = [{"key": "net.ipv4.ip_forward", "value": "1", "required": True}]
    path = node.file("/proc/sys/net/ipv4/ip_forward")
    path.unlink()
    path.mkdir()
    with pytest.raises(KopsError, match=r"sysctl:net.ipv4.ip_forward cannot be set to '1': Is a directory"):
        node.converge(sysctls=sysctls)
    sysctls[0]["required"] = False
    assert "cannot be set" in node.converge(sysctls=sysctls).warnings[0]


def volume(node: Node) -> dict[str, Any]:
    node.file("/dev").mkdir()
    node.file("/dev/vdb").write_text("")
    return {"volumes": [{"name": "a", "device": "/dev/vdb", "mount": "/mnt/a", "options": "noatime"}]}


def test_an_empty_device_is_formatted_once_and_mounted(node: Node) -> None:
    parts = volume(node)
    report = node.converge(**parts)
    assert report.steps[0].after == {"directories": ["/mnt/a"], "filesystem": "ext4"}
    assert node.host.calls == [
        "flock /dev/vdb mkfs.ext4 /dev/vdb",
        "systemctl enable --no-reload --quiet mnt-a.mount",
        "systemctl daemon-reload",
        "systemctl start mnt-a.mount",
    ]
    assert not node.converge(**parts).changed
    text = node.file("/etc/systemd/system/mnt-a.mount").read_text()
    assert "What=/dev/vdb\nWhere=/mnt/a\nType=ext4\nOptions=noatime\n" in text


def test_a_device_is_formatted_with_the_options_of_the_volume(node: Node) -> None:
    parts = volume(node)
    parts["volumes"][0]["formatOptions"] = ["-m", "0", "-L", "data"]
    node.converge(**parts)
    assert node.host.calls[0] == "flock /dev/vdb mkfs.ext4 -m 0 -L data /dev/vdb"
    assert not node.converge(**parts).changed


def test_a_device_with_data_is_never_formatted(node: Node) -> None:
    parts = volume(node)
    keep(node, filesystems={"/dev/vdb": "ext4"})
    node.converge(**parts)
    assert not [call for call in node.host.calls if "mkfs" in call]


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (CommandOutcome(0, "xfs\n"), "/dev/vdb holds xfs rather than ext4; nothing is written to it"),
        (CommandOutcome(0, ""), "/dev/vdb holds a partition table rather than ext4; nothing is written to it"),
        (CommandOutcome(8, "", "ambivalent"), "/dev/vdb cannot be looked at: ambivalent"),
    ],
)
def test_a_device_with_something_else_is_a_problem(node: Node, outcome: CommandOutcome, message: str) -> None:
    parts = volume(node)
    node.host.fail["blkid"] = outcome
    with pytest.raises(ConfigError, match=message):
        node.converge(**parts)


def test_images_are_imported_once_for_each_archive(node: Node, assets: Assets) -> None:
    images = [
        {"name": "example.com/pause:1", **assets.add("/pause", b"example.com/pause:1")},
        {"name": "kube-proxy", **assets.add("/proxy", b"registry.k8s.io/kube-proxy-amd64:v1")},
    ]
    assert len(changed(node.converge(images=images))) == 2
    assert not node.converge(images=images).changed
    images[1] = {"name": "kube-proxy", **assets.add("/proxy", b"registry.k8s.io/kube-proxy-amd64:v2")}
    assert changed(node.converge(images=images)) == ["image:kube-proxy"]
    keep(node, images=[])
    assert len(changed(node.converge(images=images))) == 2


POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: proxy\nspec: {}\n"


@pytest.mark.parametrize("annotated", [False, True])
def test_a_static_pod_is_started_anew_for_what_it_reads(node: Node, annotated: bool) -> None:
    pod = POD.replace("metadata:\n", "metadata:\n  annotations:\n    a: b\n") if annotated else POD
    parts: dict[str, Any] = {
        "files": [{"path": "/etc/kubeconfig", "content": "1"}],
        "staticPods": [{"name": "proxy", "content": pod, "restartOn": ["file:/etc/kubeconfig"]}],
    }
    manifest = node.file("/etc/kubernetes/manifests/proxy.manifest")
    node.converge(**parts)
    assert manifest.read_text() == pod
    parts["files"][0]["content"] = "2"
    assert changed(node.converge(**parts)) == ["file:/etc/kubeconfig", "staticPod:proxy"]
    number = '  annotations:\n    kops.k8s.io/started-anew: "1"\n'
    assert number + ("    a: b\n" if annotated else "  name: proxy\n") in manifest.read_text()
    assert not node.converge(**parts).changed


def test_pods_that_come_last(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """They wait for what the others are checked for, and their images are pulled meanwhile."""
    run, pulled = node.host.run, queue.Queue()

    def run_or_note(*command: str, **more: Any) -> CommandOutcome:
        if command[0] != "ctr":
            return run(*command, **more)
        pulled.put(command[-1])
        return CommandOutcome(1, "", "no such registry")

    monkeypatch.setattr(node.host, "run", run_or_note)
    image = '  containers:\n  - args: []\n    image: "registry.example.com/scheduler:1"\n'
    first, last = node.file("/etc/kubernetes/manifests/server.manifest"), "/etc/kubernetes/manifests/scheduler.manifest"
    parts: dict[str, Any] = {
        "staticPods": [
            {"name": "scheduler", "content": POD.replace("spec: {}\n", f"spec:\n{image}"), "last": True},
            {"name": "server", "content": POD},
        ],
        "checks": [
            {"name": "server", "kind": "file", "target": "/run/ready", "deadline": 0},
            {"name": "scheduler", "kind": "file", "target": last, "deadline": 0},
        ],
    }
    with pytest.raises(KopsError, match=r"^server is not healthy after 0 s: /run/ready does not exist$"):
        node.converge(**parts)
    assert first.exists()
    assert not node.file(last).exists()
    assert pulled.get(timeout=10) == "registry.example.com/scheduler:1"
    node.file("/run/ready").touch()
    assert changed(node.converge(**parts)) == ["staticPod:scheduler"]
    assert not node.converge(**parts).changed


def test_images_of_pods_are_pulled_as_soon_as_there_is_a_runtime(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """First those of the pods that start first; while the kubelet waits for its server, and before it starts."""
    run, pulled = node.host.run, queue.Queue()

    def run_or_note(*command: str, **more: Any) -> CommandOutcome:
        if command[0] == "ctr":
            pulled.put(command[-1])
            return CommandOutcome(1, "", "no such registry")
        if command[1:] == ("start", "kubelet.service"):
            assert {pulled.get(timeout=10) for _image in "ab"} == {"server", "scheduler"}
        return run(*command, **more)

    monkeypatch.setattr(node.host, "run", run_or_note)
    parts: dict[str, Any] = {
        "units": [{"name": f"{name}.service", "content": "[Service]\n"} for name in ("containerd", "kubelet")],
        "staticPods": [
            {"name": name, "content": POD.replace("spec: {}\n", f"spec:\n  image: {name}\n"), "last": last}
            for name, last in (("scheduler", True), ("server", False))
        ],
    }
    assert "unit:kubelet.service" in changed(node.converge(**parts))
    assert pulled.empty()
    assert not node.converge(**parts).changed
    assert pulled.empty()


def test_a_repository_of_packages(node: Node, assets: Assets) -> None:
    assets.add("/key", b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n")
    lines = ["deb [arch=$(ARCH)] https://example.com release main", "deb https://example.com/deb/$(ARCH) /"]
    parts = {"aptSources": [{"name": "example", "keyring": assets.url + "/key", "sources": lines}]}
    assert len(changed(node.converge(**parts))) == 2
    key = "/etc/apt/keyrings/example.asc"
    assert node.file(key).read_text().startswith("-----BEGIN PGP")
    assert node.file("/etc/apt/sources.list.d/example.list").read_text() == (
        f"deb [arch=amd64 signed-by={key}] https://example.com release main\n"
        f"deb [signed-by={key}] https://example.com/deb/amd64 /\n"
    )
    assert not node.converge(**parts).changed
    node.converge()
    assert not node.file(key).exists()


def test_a_repository_whose_key_cannot_be_had(node: Node, assets: Assets) -> None:
    source = {"name": "example", "keyring": assets.url + "/none", "sources": ["deb https://example.com /"]}
    with pytest.raises(KopsError, match="aptSource:example cannot be downloaded:\n  .*/none: the answer is 404"):
        node.converge(aptSources=[source])


class Sick(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"[+]ping ok\n[-]etcd failed\n"
        self.send_response(500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        pass


def test_everything_unhealthy_is_told_with_the_right_log(node: Node) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sick)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/readyz"
    node.host.distribution_units["kubelet.service"] = {"active": "activating"}
    node.host.journals["kubelet"] = "".join(f"line {number}\n" for number in range(40))
    log = node.file("/var/log/pods/kube-apiserver-1.log")
    log.parent.mkdir(parents=True)
    log.write_text("x\n" * 100 + "cannot reach etcd\n")
    given = [
        {"name": "kubelet", "kind": "unit", "target": "kubelet.service", "log": {"unit": "kubelet"}},
        {"name": "api", "kind": "http", "target": address, "log": {"file": "/var/log/pods/kube-apiserver-*.log"}},
        {"name": "port", "kind": "tcp", "target": "127.0.0.1:9", "log": {"file": "/var/log/none"}},
        {"name": "file", "kind": "file", "target": "/run/none"},
        {"name": "well", "kind": "file", "target": "/etc/hosts"},
    ]
    with pytest.raises(KopsError) as caught:
        node.converge(checks=[{**each, "deadline": 0} for each in given])
    server.shutdown()
    server.server_close()
    message = str(caught.value)
    assert "kubelet is not healthy after 0 s: kubelet.service is activating (dead)\nits log ends:\nline 20\n" in message
    assert f"api is not healthy after 0 s: {address} answers 500 " in message
    assert "[-]etcd failed\nits log ends:\n" in message
    assert "cannot reach etcd" in message
    assert "port is not healthy after 0 s: 127.0.0.1:9: Connection refused\nfile is not" in message
    assert "file is not healthy after 0 s: /run/none does not exist" in message
    assert "well" not in message
    assert caught.value.brief == (
        "kubelet is not healthy after 0 s: kubelet.service is activating (dead); its last words: line 39"
    )


def test_pods_are_not_waited_for_without_a_kubelet(node: Node) -> None:
    node.host.distribution_units["kubelet.service"] = {"active": "activating"}
    node.host.journals["kubelet"] = (
        "E1125 18:41:01.101222     812 run.go:72] unknown flag: --key=c2VjcmV0LW9mLXRoZS10ZXN0\n"
    )
    file = {"path": "/etc/key", "content": "c2VjcmV0LW9mLXRoZS10ZXN0", "secret": True}
    given = [
        {"name": "kubelet", "kind": "unit", "target": "kubelet.service", "log": {"unit": "kubelet"}, "deadline": 0},
        {"name": "api", "kind": "file", "target": "/run/none", "deadline": 300},
    ]
    with pytest.raises(KopsError) as caught:
        node.converge(checks=given, files=[file])
    assert "api is not healthy" not in str(caught.value)
    assert caught.value.brief.endswith("; its last words: unknown flag: --key=(hidden)")


def test_a_pod_that_never_starts_is_explained(node: Node) -> None:
    """It has no log: the kubelet's says why, and the files of others that its programs read."""
    node.host.journals["kubelet.service"] = "node is ready\nkube-proxy: failed to pull: proxyconnect\nother\n"
    log, proxy = node.file("/var/log/kube-proxy.log"), node.file("/etc/systemd/system/containerd.service.d/proxy.conf")
    for path, text in ((log, ""), (proxy, "[Service]\nEnvironment=HTTPS_PROXY=http://me:secret@192.0.2.1\n")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    given = {"name": "kube-proxy", "kind": "tcp", "target": "127.0.0.1:9", "log": {"file": "/var/log/kube-proxy.log"}}
    with pytest.raises(KopsError) as caught:
        node.converge(checks=[{**given, "deadline": 0}])
    assert str(caught.value) == (
        "kube-proxy is not healthy after 0 s: 127.0.0.1:9: Connection refused\n"
        "it has no log yet; that of the kubelet ends:\nkube-proxy: failed to pull: proxyconnect\n"
        "these files of others change containerd.service: "
        "/etc/systemd/system/containerd.service.d/proxy.conf (Environment)"
    )


def test_what_becomes_healthy_is_waited_for(node: Node) -> None:
    path = node.file("/run/ready")
    timer = threading.Timer(0.3, lambda: path.write_text(""))
    timer.start()
    node.converge(checks=[{"name": "ready", "kind": "file", "target": "/run/ready", "deadline": 10}])
    timer.join()


def test_a_unit_that_keeps_crashing_is_not_healthy(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_STEADY", 0.2)
    show = node.host._show
    restarts = iter(range(1000))

    def crashing(units: dict[str, Any], name: str) -> str:
        return show({name: {**units.get(name, {}), "restarts": str(next(restarts))}}, name)

    monkeypatch.setattr(node.host, "_show", crashing)
    with pytest.raises(KopsError, match=r"a.service keeps restarting, \d+ times so far"):
        node.converge(
            units=[{"name": "a.service", "content": "[Service]\n"}],
            checks=[{"name": "a", "kind": "unit", "target": "a.service", "deadline": 1}],
        )
