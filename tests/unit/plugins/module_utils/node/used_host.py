# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that has pods: processes, mounts, interfaces and rules for packets, all as files below its root."""

from __future__ import annotations

import json
import pathlib
import shutil
import signal
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.fake_host import FakeHost

SANDBOX = "/run/containerd/io.containerd.runtime.v2.task/k8s.io/5a5b"
CGROUP = "/sys/fs/cgroup/pids/kubepods.slice"
SHIM = "/usr/bin/containerd-shim-runc-v2\0-namespace\0{}\0-id\x005a5b\0-address\0/run/containerd/containerd.sock\0"
BEFORE = """*filter
:INPUT ACCEPT [0:0]
:CNI-FORWARD - [0:0]
-A FORWARD -j CNI-FORWARD
-A INPUT -p tcp --dport 22 -j ACCEPT
COMMIT
"""
RULES = """*filter
:INPUT ACCEPT [0:0]
:CNI-FORWARD - [0:0]
:KUBE-FIREWALL - [0:0]
:KUBE-SERVICES - [0:0]
-A FORWARD -j CNI-FORWARD
-A INPUT -p tcp --dport 22 -j ACCEPT
-A INPUT -j KUBE-FIREWALL
-A OUTPUT -d 169.254.20.10/32 -m comment --comment "NodeLocal DNS Cache: allow DNS traffic" -j ACCEPT
-A KUBE-SERVICES -m comment --comment "kubernetes service portals" -j KUBE-FIREWALL
COMMIT
"""


class UsedHost(FakeHost):
    """stubborn: processes that ignore SIGTERM. busy: mount points that only go lazily."""

    def __init__(self, root: pathlib.Path) -> None:
        super().__init__(root)
        self.stubborn: set[int] = set()
        self.busy: set[str] = set()
        self.signals: list[tuple[int, int]] = []

    def put(self, path: str, text: str = "") -> None:
        """Write a file below the root."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def mount(self, *points: str) -> None:
        """Mount something."""
        file = self.root / "proc/self/mountinfo"
        lines = file.read_text() if file.exists() else ""
        self.put("/proc/self/mountinfo", lines + "".join(f"36 35 0:1 / {each} rw - tmpfs x rw\n" for each in points))

    def process(self, number: int, line: str = "sleep\0", group: str = "") -> None:
        """Start a process, in a control group below that of pods."""
        self.put(f"/proc/{number}/cmdline", line)
        if group:
            file = self.root / CGROUP.lstrip("/") / group / "cgroup.procs"
            self.put(f"{CGROUP}/{group}/cgroup.procs", (file.read_text() if file.exists() else "") + f"{number}\n")

    def make_interface(self, name: str, master: str = "") -> None:
        """Make an interface."""
        directory = self.root / "sys/class/net" / name
        directory.mkdir(parents=True)
        if master:
            (directory / "master").symlink_to(f"../{master}")

    def signal(self, process: int, number: int) -> None:
        self.signals.append((process, number))
        if number == signal.SIGTERM and process in self.stubborn:
            return
        shutil.rmtree(self.root / "proc" / str(process), ignore_errors=True)
        for file in (self.root / CGROUP.lstrip("/")).rglob("cgroup.procs"):
            file.write_text("".join(f"{each}\n" for each in file.read_text().split() if each != str(process)))

    def _umount(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        points = [each for each in arguments if each != "--lazy"]
        if "--lazy" not in arguments and self.busy.intersection(points):
            return CommandOutcome(32, "", "umount: target is busy.")
        file = self.root / "proc/self/mountinfo"
        escaped = [each.replace(" ", "\\040") for each in points]
        file.write_text(
            "".join(f"{line}\n" for line in file.read_text().splitlines() if line.split()[4] not in escaped)
        )
        state["unmounts"] = [*state.get("unmounts", []), arguments]
        return CommandOutcome(0)

    def _rmdir(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        for path in arguments:
            shutil.rmtree(path, ignore_errors=True)
        return CommandOutcome(0)

    def _ip(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        if arguments[:2] == ["link", "delete"]:
            shutil.rmtree(self.root / "sys/class/net" / arguments[3])
            return CommandOutcome(0)
        key = " ".join(arguments[:2])
        if arguments[2] == "add":
            preference, table = arguments[4], arguments[6]
            state[key] = [f"{preference}:\tfrom all lookup {table}", *state[key]]
        if arguments[2] == "delete":
            which = f"{arguments[4]}:" if arguments[3] == "preference" else " ".join(arguments[3:])
            state[key] = [line for line in state[key] if not line.startswith(which)]
        return CommandOutcome(0, "".join(f"{line}\n" for line in state.get(key, [])))

    def _iptables_save(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        return CommandOutcome(0, state.get("rules", ""))

    def _iptables_restore(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        lines = state["rules"].splitlines()
        for line in pathlib.Path(arguments[-1]).read_text().splitlines():
            kind, _space, rest = line.partition(" ")
            if kind.startswith(":"):
                lines = [each for each in lines if not each.startswith(f"-A {kind[1:]} ")]
            elif kind == "-D":
                lines.remove(f"-A {rest}")
            elif kind == "-X":
                if any(each.endswith(f" {rest}") for each in lines):
                    return CommandOutcome(1, "", f"chain {rest} is in use")
                lines = [each for each in lines if not each.startswith(f":{rest} ")]
        state["rules"] = "".join(f"{each}\n" for each in lines)
        return CommandOutcome(0)

    def _ipset(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        if arguments[0] == "destroy":
            state["sets"].remove(arguments[1])
        return CommandOutcome(0, "\n".join(state.get("sets", [])))

    def _nft(self, state: dict[str, Any], arguments: list[str]) -> CommandOutcome:
        if arguments[0] == "delete":
            state["tables"].remove(" ".join(arguments[1:]))
        return CommandOutcome(0, "\n".join(state.get("tables", [])))

    def keep(self, **parts: Any) -> None:
        """Set parts of what the commands know."""
        self._keep({**self.state, **parts})

    def live(self, cluster: str) -> None:
        """Let a node live for a while: what comes about by kubelet, containerd, etcd and flannel."""
        annotations = {"io.kubernetes.cri.sandbox-name": "web-1", "io.kubernetes.cri.sandbox-namespace": "shop"}
        self.put(f"{SANDBOX}/config.json", json.dumps({"annotations": annotations}))
        self.process(201, group="pod1")
        self.process(202, group="pod1/container")
        self.process(203, SHIM.format("k8s.io"))
        self.process(204, SHIM.format("moby"))
        self.mount(f"{SANDBOX}/rootfs", "/var/lib/kubelet/pods/1/volumes/secret\\040x", "/run/netns/cni-1")
        for path in (
            *("/var/lib/kubelet/pods/1/etc-hosts", "/var/log/pods/shop_web-1/web/0.log", "/run/netns/cni-1"),
            *("/var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db", "/etc/cni/net.d/10-flannel.conflist"),
            *("/opt/cni/bin/flannel", "/var/lib/cni/networks/cbr0/100.96.1.2", "/run/flannel/subnet.env"),
            *("/var/lib/cni-kindnet/cni.db", "/run/nodeagent/socket"),
            *(f"/mnt/disks/{cluster}--main--a/data/member/wal/0.wal", "/var/log/etcd.log-20260101.gz"),
            f"/mnt/disks/{cluster}--main--a/data.before-20260508T120000Z/member/wal/0.wal",
            "/mnt/disks/other.example.com--main--a/data/member/wal/0.wal",
            *("/etc/systemd/logind.conf.d/99-kubelet.conf", "/etc/sysctl.d/99-zzz-override_cilium.conf"),
            "/sys/fs/bpf/tc/globals/cilium_lxc",
        ):
            self.put(path, "data")
        for name in ("cni0", "flannel.1", "knet0a1b2c3d"):
            self.make_interface(name)
        self.make_interface("veth1", "cni0")
        self.make_interface("veth2", "docker0")
        self.keep(
            rules=RULES,
            sets=["KUBE-CLUSTER-IP", "mine"],
            tables=["table ip kube-proxy", "table inet kindnet-ipmasq", "table ip calico", "table inet filter"],
            **{
                "-4 route": [
                    *("default via 10.0.0.1 dev eth0", "100.96.2.0/24 via 10.0.0.8 dev eth0 proto 17"),
                    *("blackhole 100.96.1.0/26 proto 80", "100.96.3.0/26 via 10.0.0.9 dev tunl0 proto bird onlink"),
                ],
                "-4 rule": ["100:\tfrom all lookup local", "32764:\tfrom all lookup kube-router"],
            },
        )
