# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that was a node is what it was before; what is not ours is left alone."""

from __future__ import annotations

import dataclasses
import pathlib
import shutil
import signal
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.report import Report
from ansible_collections.kubeops.kops.plugins.module_utils.node import record
from ansible_collections.kubeops.kops.plugins.module_utils.node.converge import remove_node
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome
from ansible_collections.kubeops.kops.plugins.module_utils.node.wipe import (
    firewall as wipe_firewall,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.wipe import (
    mounts as wipe_mounts,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.wipe import (
    pods as wipe_pods,
)
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import Assets, archive
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node, changed
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.full_config import HEAD
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.used_host import BEFORE, SANDBOX, UsedHost

CLUSTER = HEAD["cluster"]


class UsedNode(Node):
    """A machine whose host can have pods."""

    host: UsedHost

    def __init__(self, root: pathlib.Path) -> None:
        super().__init__(root)
        self.host = UsedHost(root)

    def become_node(self, assets: Assets, *directories: str) -> None:
        """Converge to kubelet, containerd, a plugin of CNI, and these directories."""
        runtime = archive({"containerd": b"containerd"})
        self.converge(
            units=[
                {"name": f"{name}.service", "content": f"[Service]\nExecStart={name}\n"}
                for name in ("kubelet", "containerd")
            ],
            downloads=[
                {
                    "name": "containerd",
                    **assets.add("/containerd.tgz", runtime),
                    "unpack": [{"member": "containerd", "dest": "/usr/bin/"}],
                }
            ],
            files=[
                {"path": "/opt/cni/bin/bridge", "content": "bridge"},
                {"path": "/var/lib/kubelet/kubeconfig", "content": "kubeconfig"},
                {"path": f"/mnt/disks/{CLUSTER}--main--a/keep", "content": ""},
            ],
            directories=[{"path": path, "mode": "0700"} for path in directories],
        )

    def wipe(self, check: bool = False, cluster: str = CLUSTER) -> Report:
        return remove_node(dataclasses.replace(self.options(check), wipe=True), cluster)

    def looks(self) -> dict[str, Any]:
        """The machine without what comes and goes by itself: its times, and the files that the fake commands use."""
        files = {path: value[:2] for path, value in self.tree().items() if not path.startswith(("proc/", "sys/"))}
        state = self.host.state
        kept = {key: state.get(key) or None for key in ("rules", "sets", "tables", "-4 route", "-4 rule")}
        return {**files, **kept, "interfaces": sorted(path.name for path in self.file("/sys/class/net").glob("*"))}


@pytest.fixture
def used(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> UsedNode:
    monkeypatch.setattr(wipe_pods, "_PAUSE", 0.001)
    monkeypatch.setattr(wipe_pods, "_GRACE", 0.05)
    monkeypatch.setattr(wipe_pods, "_DEADLINE", 0.05)
    node = UsedNode(tmp_path / "root[1]")
    present = ("/usr/bin", "/etc/cni/net.d", "/etc/sysctl.d", "/var/lib/cni/networks/podman", "/var/lib/containerd")
    for path in (*present, "/mnt/disks"):
        node.file(path).mkdir(parents=True)
    node.host.put("/etc/cni/net.d/87-podman.conflist", "podman's")
    node.host.put("/mnt/disks/other.example.com--main--a/data/member/wal/0.wal", "data")
    node.host.make_interface("eth0")
    node.host.make_interface("veth2", "docker0")
    node.host.keep(
        rules=BEFORE,
        sets=["mine"],
        tables=["table inet filter"],
        **{"-4 route": ["default via 10.0.0.1 dev eth0"], "-4 rule": ["0:\tfrom all lookup local"]},
    )
    return node


def live(node: UsedNode) -> None:
    node.file("/sys/class/net/veth2/master").unlink()
    node.file("/sys/class/net/veth2").rmdir()
    node.host.live(CLUSTER)


def test_the_machine_is_what_it_was_before(used: UsedNode, assets: Assets) -> None:
    used.file("/var/log").mkdir()
    before = used.looks()
    used.become_node(assets)
    live(used)
    would = used.wipe(check=True)
    report = used.wipe()
    assert [step.as_dict() for step in would.steps] == [step.as_dict() for step in report.steps]
    assert used.looks() == before
    assert not used.file("/sys/fs/bpf/tc").exists()
    assert (would.warnings, report.warnings) == ([], [])
    assert {
        *("pod:shop/web-1", "cgroup:kubepods", f"mount:{SANDBOX}/rootfs", "interface:veth1", "interface:cni0"),
        *("route:100.96.2.0/24 via 10.0.0.8 dev eth0 proto 17", "rule:32764: from all lookup kube-router"),
        *("rule:100: from all lookup local", "data:/etc/sysctl.d/99-zzz-override_cilium.conf"),
        *("firewall:iptables filter", "firewall:ipset KUBE-CLUSTER-IP", "firewall:nft ip kube-proxy"),
        *("route:blackhole 100.96.1.0/26 proto 80", "route:100.96.3.0/26 via 10.0.0.9 dev tunl0 proto bird onlink"),
        *("firewall:nft inet kindnet-ipmasq", "firewall:nft ip calico", "interface:knet0a1b2c3d"),
        *("data:/var/lib/cni-kindnet", "data:/run/nodeagent"),
        *("data:/var/lib/kubelet", f"data:/mnt/disks/{CLUSTER}--main--a", "unit:kubelet.service"),
    } <= {*changed(report)}
    assert not used.wipe().changed


def test_logs_in_a_directory_of_ours_go_and_those_of_others_stay(used: UsedNode, assets: Assets) -> None:
    """The directory is that of spec.kubeAPIServer.auditLogPath."""
    used.file("/var/log/audit").mkdir(parents=True)
    used.become_node(assets, "/var/log/kube/audit", "/var/log/audit")
    used.host.put("/var/log/kube/audit/audit-2026-05-08T12-00-00.log", "rotated")
    used.host.put("/var/log/audit/audit.log", "another program's")
    would = used.wipe(check=True)
    report = used.wipe()
    assert [step.as_dict() for step in would.steps] == [step.as_dict() for step in report.steps]
    assert "data:/var/log/kube/audit" in changed(report)
    assert not used.file("/var/log/kube").exists()
    assert used.file("/var/log/audit/audit.log").exists()
    assert report.warnings == []


def test_directories_that_pods_mounted_go_unless_something_is_in_them(used: UsedNode, assets: Assets) -> None:
    used.file("/var/ssl").mkdir(parents=True)
    used.become_node(assets)
    used.file("/etc/pki/tls").mkdir(parents=True)
    used.host.put("/usr/share/ssl/mine", "")
    used.wipe()
    assert not used.file("/etc/pki").exists()
    assert used.file("/usr/share/ssl/mine").exists()
    assert used.file("/var/ssl").exists()


def test_permissions_of_directories_that_stay_come_back(used: UsedNode, assets: Assets) -> None:
    used.file("/var/lib/containerd").chmod(0o751)
    used.become_node(assets)
    used.file("/var/lib/containerd").chmod(0o700)
    step = next(step for step in used.wipe().steps if step.item == "directory:/var/lib/containerd")
    assert step.after == {"mode": "0751"}
    assert used.tree()["var/lib/containerd"] == ("directory", "0o40751")


def test_looking_changes_nothing(used: UsedNode, assets: Assets) -> None:
    used.become_node(assets)
    live(used)
    before, state = used.tree(), used.host.state
    assert used.wipe(check=True).changed
    assert (used.tree(), used.host.state) == (before, state)


def test_without_wipe_data_stays(used: UsedNode, assets: Assets) -> None:
    used.become_node(assets)
    live(used)
    used.remove_node()
    assert used.file("/var/lib/kubelet/pods/1/etc-hosts").exists()
    assert used.file("/proc/201").exists()
    assert not used.file("/usr/bin/containerd").exists()


def test_containers_may_end_by_themselves_before_they_are_killed(used: UsedNode, assets: Assets) -> None:
    used.become_node(assets)
    live(used)
    used.host.stubborn = {202}
    used.wipe()
    assert used.host.signals == [
        *((201, signal.SIGTERM), (202, signal.SIGTERM)),
        *((202, signal.SIGKILL), (203, signal.SIGKILL)),
    ]
    assert used.file("/proc/204").exists()


def test_processes_that_do_not_end_are_named(used: UsedNode, assets: Assets, monkeypatch: pytest.MonkeyPatch) -> None:
    used.become_node(assets)
    live(used)
    monkeypatch.setattr(used.host, "signal", lambda process, number: None)
    with pytest.raises(KopsError, match="processes of pods do not end, even after SIGKILL: 201, 202"):
        used.wipe()
    assert used.file("/var/lib/kubelet/pods/1/etc-hosts").exists()


def test_what_is_in_use_is_unmounted_lazily(used: UsedNode, assets: Assets) -> None:
    used.become_node(assets)
    live(used)
    used.host.busy = {f"{SANDBOX}/rootfs"}
    used.wipe()
    points = ["/run/netns/cni-1", "/var/lib/kubelet/pods/1/volumes/secret x", f"{SANDBOX}/rootfs"]
    assert used.host.state["unmounts"] == [["--lazy", point] for point in points]


def test_nothing_is_removed_that_is_still_mounted(
    used: UsedNode, assets: Assets, monkeypatch: pytest.MonkeyPatch
) -> None:
    used.become_node(assets)
    live(used)
    used.host.fail["umount"] = CommandOutcome(32, "", "umount: no way")
    with pytest.raises(KopsError, match="cannot be unmounted: .*/var/lib/kubelet/pods/1/volumes/secret x"):
        used.wipe()
    monkeypatch.setattr(wipe_mounts, "_unmount", lambda scope: None)
    with pytest.raises(KopsError, match=r"/var/lib/kubelet/pods is not removed because of these mounts"):
        used.wipe()
    assert used.file("/var/lib/kubelet/pods/1/etc-hosts").exists()


def test_a_disk_that_was_mounted_before_us_stays_mounted(used: UsedNode, assets: Assets) -> None:
    used.file("/var/lib/kubelet").mkdir()
    used.host.mount("/var/lib/kubelet")
    used.become_node(assets)
    live(used)
    used.wipe()
    assert list(used.file("/var/lib/kubelet").iterdir()) == []
    assert "/var/lib/kubelet" in used.file("/proc/self/mountinfo").read_text()


def test_a_containerd_that_was_there_before_keeps_its_data_and_forgets_our_pods(used: UsedNode, assets: Assets) -> None:
    used.host.put("/usr/bin/containerd", "theirs")
    used.host.distribution_units = {"containerd.service": {"active": "active", "enabled": "enabled"}}
    used.become_node(assets)
    live(used)
    asked: list[str] = []
    run = used.host.run

    def listening(*command: str, **options: Any) -> CommandOutcome:
        if command[0] == "ctr":
            asked.append(" ".join(command[5:]) if command[4:5] == ("k8s.io",) else " ".join(command))
            return CommandOutcome(0, "5a5b\n")
        return run(*command, **options)

    used.host.run = listening
    used.wipe()
    assert used.file("/usr/bin/containerd").read_text() == "theirs"
    assert used.file("/var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db").exists()
    assert not used.file("/var/lib/kubelet").exists()
    assert asked == [
        "tasks list --quiet",
        "tasks delete --force 5a5b",
        "containers list --quiet",
        "containers delete 5a5b",
    ]
    unit = used.host.state["units"]["containerd.service"]
    assert (unit["active"], unit["enabled"]) == ("active", "enabled")


def test_a_node_of_another_cluster_and_a_machine_that_is_none_are_left_alone(used: UsedNode, assets: Assets) -> None:
    live(used)
    before = used.tree()
    assert not used.wipe().changed
    assert used.looks()["var/lib/kubelet/pods/1/etc-hosts"][0] == b"data"
    assert {path for path in used.tree() if path not in before} == set()
    used.become_node(assets)
    with pytest.raises(KopsError, match=f"the machine is a node of cluster {CLUSTER}, not of other.example.com"):
        used.wipe(cluster="other.example.com")
    assert used.file("/usr/bin/containerd").exists()


def test_a_wipe_that_was_broken_off_is_finished_by_the_next(used: UsedNode, assets: Assets) -> None:
    used.file("/var/log").mkdir()
    before = used.looks()
    used.become_node(assets)
    live(used)
    for command in ("umount", "ip link", "iptables-restore", "nft delete", "systemctl daemon-reload"):
        used.host.fail = {command: CommandOutcome(1, "", "broken off")}
        with pytest.raises(KopsError):
            used.wipe()
        assert record.load(str(used.file(record.PATH))).cluster == CLUSTER
    used.host.fail = {}
    used.wipe()
    assert used.looks() == before


def test_units_that_ours_took_the_place_of_come_back(used: UsedNode) -> None:
    used.host.distribution_units = {"logrotate.timer": {"active": "active", "enabled": "enabled"}}
    used.converge(units=[{"name": "logrotate.timer", "content": "[Timer]\nOnBootSec=1\n"}])
    assert record.load(str(used.file(record.PATH))).replaced == {
        "logrotate.timer": {"enabled": True, "state": "started"}
    }
    used.wipe()
    unit = used.host.state["units"]["logrotate.timer"]
    assert (unit["active"], unit["enabled"]) == ("active", "enabled")
    assert not used.file("/etc/systemd/system/logrotate.timer").exists()


def test_what_was_there_before_is_noted_once(used: UsedNode, assets: Assets) -> None:
    used.become_node(assets)
    live(used)
    used.converge(files=[{"path": "/etc/more", "content": ""}])
    found = record.load(str(used.file(record.PATH))).found
    assert found.keys() == {"data", "firewall", "modes"}
    assert found["data"] == [
        *("/etc/cni", "/etc/cni/net.d", "/etc/cni/net.d/87-podman.conflist", "/var/lib/cni", "/var/lib/cni/networks"),
        *("/var/lib/cni/networks/podman", "/var/lib/containerd"),
    ]
    assert found["firewall"] == ["iptables filter -A FORWARD -j CNI-FORWARD", "iptables filter :CNI-FORWARD"]


def test_both_backends_of_iptables_are_looked_at(used: UsedNode, assets: Assets) -> None:
    used.become_node(assets)
    text = "*nat\n:KUBE-X - [0:0]\nCOMMIT\n"
    for backend in ("nft", "legacy"):
        setattr(used.host, f"_iptables_{backend}_save", lambda state, arguments: CommandOutcome(0, text))
    report = used.wipe(check=True)
    assert [item for item in changed(report) if item.startswith("firewall")] == [
        "firewall:iptables-nft nat",
        "firewall:iptables-legacy nat",
    ]
    assert wipe_firewall._edit("nat", [":KUBE-X", "-A OUTPUT -j KUBE-X"]) == (
        "*nat\n:KUBE-X - [0:0]\n-D OUTPUT -j KUBE-X\n-X KUBE-X\nCOMMIT\n"
    )


def test_what_kubenet_has_made_goes(used: UsedNode, assets: Assets) -> None:
    shutil.rmtree(used.file("/etc/cni"))
    used.become_node(assets)
    used.host.put("/etc/cni/net.d/10-containerd-net.conflist", "made of its template by containerd")
    masquerade = "-A POSTROUTING -m comment --comment ip-masq -m addrtype ! --dst-type LOCAL -j IP-MASQ"
    text = f"*nat\n:POSTROUTING ACCEPT [0:0]\n:IP-MASQ - [0:0]\n{masquerade}\n-A IP-MASQ -j MASQUERADE\nCOMMIT\n"
    assert list(wipe_firewall._of_saved("iptables", text)) == ["iptables nat :IP-MASQ", f"iptables nat {masquerade}"]
    used.wipe()
    assert not used.file("/etc/cni").exists()


def test_what_cilium_has_made_goes(used: UsedNode, assets: Assets) -> None:
    """Its programs stay at the host's interfaces as long as the filesystem of BPF holds them."""
    used.host.mount("/sys/fs/bpf")
    used.host.put("/sys/fs/bpf/tc/globals/mine")
    used.become_node(assets)
    held = ("cilium/devices/eth0/links/cil_from_netdev", "cilium/socketlb/links/cgroup/cil_sock4_connect")
    for path in (*held, "tc/globals/cilium_lb4_services_v2"):
        used.host.put(f"/sys/fs/bpf/{path}")
    used.host.put("/run/cilium/state/ep_config.h")
    used.host.mount("/run/cilium/cgroupv2")
    interfaces = {"cilium_host", "cilium_vxlan", "lxc0a1b2c3d4e5f"}
    for name in interfaces:
        used.host.make_interface(name)
    used.wipe()
    left = sorted(str(path.relative_to(used.root)) for path in used.file("/sys/fs/bpf").rglob("*") if path.is_file())
    assert left == ["sys/fs/bpf/tc/globals/mine"]
    assert not used.file("/run/cilium").exists()
    assert interfaces.isdisjoint(path.name for path in used.file("/sys/class/net").iterdir())
    mounted = used.file("/proc/self/mountinfo").read_text()
    assert "/sys/fs/bpf" in mounted and "/run/cilium" not in mounted
