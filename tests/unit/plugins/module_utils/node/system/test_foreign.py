# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that other tools have used is recognised, and its owner is told what cleans it."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import find_distribution
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.foreign import find_foreign, find_settings
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.fake_host import FakeHost

# What each tool makes on a control plane, by its own documentation, with a network where it brings one.
KUBEADM = (
    *("/etc/kubernetes/admin.conf", "/etc/kubernetes/kubelet.conf", "/etc/kubernetes/pki/ca.key"),
    *("/etc/kubernetes/manifests/etcd.yaml", "/var/lib/kubelet/kubeadm-flags.env", "/var/lib/etcd/member/wal/0.wal"),
)
KUBESPRAY = (*KUBEADM[:4], "/etc/kubernetes/kubelet.env", "/etc/etcd.env", "/etc/cni/net.d/10-calico.conflist")
K3S_AGENT = "/var/lib/rancher/k3s/agent/kubelet.conf"
K3S = ("/etc/systemd/system/k3s.service", "/var/lib/rancher/k3s/server/token", K3S_AGENT)
RKE2 = (
    *("/usr/local/lib/systemd/system/rke2-server.service", "/usr/local/lib/systemd/system/rke2-agent.service"),
    *("/var/lib/rancher/rke2/server/token", "/etc/cni/net.d/10-canal.conflist"),
)


@pytest.fixture()
def machine(tmp_path: pathlib.Path) -> Machine:
    host = FakeHost.make(tmp_path / "root[1]")
    distribution = find_distribution('ID=debian\nVERSION_ID="12"')
    assert distribution
    return Machine(str(host.root), host, distribution)


def put(machine: Machine, *paths: str) -> None:
    for path in paths:
        real = pathlib.Path(machine.path(path))
        real.parent.mkdir(parents=True, exist_ok=True)
        real.write_text("[Service]\nExecStart=\nExecStart=/usr/bin/kubelet\n")


@pytest.mark.parametrize(
    ("paths", "tool", "removal"),
    [
        (KUBEADM, "kubeadm", "kubeadm reset"),
        (KUBESPRAY, "kubespray", "kubespray's playbook reset.yml"),
        (K3S, "a k3s server", "k3s-uninstall.sh"),
        ((K3S_AGENT,), "a k3s agent", "k3s-agent-uninstall.sh"),
        (RKE2, "RKE2", "rke2-uninstall.sh"),
    ],
)
def test_one_tool_is_recognised_by_all_that_it_made(
    machine: Machine, paths: tuple[str, ...], tool: str, removal: str
) -> None:
    """Every path is told once, with the one command that removes it."""
    put(machine, *paths)
    (found,) = find_foreign(machine)
    assert (found["tool"], found["removal"], found["effect"]) == (tool, removal, "")
    assert all(any(path.startswith(told) for told in found["paths"]) for path in paths)


def test_what_a_reset_leaves_is_told_by_itself(machine: Machine) -> None:
    """kubeadm reset removes neither networks nor the file of its package."""
    network, drop_in = "/etc/cni/net.d/10-calico.conflist", "/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf"
    put(machine, *KUBEADM, network, drop_in)
    reset, package, rest = find_foreign(machine)
    assert reset["removal"] == "kubeadm reset"
    assert (package["paths"], package["removal"].split(" (")[0]) == ([drop_in], "apt-get purge kubeadm")
    assert (rest["tool"], rest["paths"], rest["effect"]) == (
        "",
        [network],
        "pods could get this network instead of the cluster's",
    )


@pytest.mark.parametrize(
    "path",
    [
        "/etc/kubernetes/manifests/mine.yaml",
        "/etc/cni/net.d/05-cilium.conf",
        "/etc/systemd/system/kubelet.service.d/20-own.conf",
    ],
)
def test_files_of_unknown_origin_that_would_be_loaded(machine: Machine, path: str) -> None:
    put(machine, path)
    (found,) = find_foreign(machine)
    assert (found["tool"], found["paths"]) == ("", [path])
    assert found["effect"]
    assert found["removal"].startswith("rm")


def test_a_fresh_machine_has_nothing(machine: Machine) -> None:
    """Programs load neither hidden files nor directories."""
    put(machine, "/etc/kubernetes/manifests/.keep", "/etc/kubernetes/manifests/old/etcd.yaml", "/etc/cni/net.d/README")
    put(machine, "/var/lib/rancher/other")
    drop_in(machine, "kubelet.service.d/limits.conf", "[Service]\nLimitNOFILE=20000\n# ExecStart=/bin/x\n")
    assert find_foreign(machine) == find_settings(machine) == []


def drop_in(machine: Machine, name: str, text: str, directory: str = "/etc/systemd/system") -> str:
    path = pathlib.Path(machine.path(f"{directory}/{name}"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return f"{directory}/{name}"


@pytest.mark.parametrize("directory", ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"])
@pytest.mark.parametrize(
    ("unit", "text", "named"),
    [
        ("kubelet", "[Service]\nExecStartPre=/bin/false\n", "ExecStartPre"),
        ("kubelet", "[Unit]\nConditionPathExists=/none\n[Service]\nUser=me\n", "ConditionPathExists, User"),
        ("containerd", "[Service]\n ExecStart =\nExecStart=/usr/bin/containerd \\\n  --log\n", "ExecStart"),
    ],
)
def test_a_drop_in_that_changes_what_runs_is_refused(
    machine: Machine, directory: str, unit: str, text: str, named: str
) -> None:
    path = drop_in(machine, f"{unit}.service.d/30-pre.conf", text, directory)
    (found,) = find_foreign(machine)
    assert (found["paths"], found["removal"].split(",")[0]) == ([path], "rm")
    assert found["effect"] == f"it changes what {unit}.service runs, or whether it starts ({named})"
    assert find_settings(machine) == []


def test_a_drop_in_that_changes_how_a_unit_works_is_named(machine: Machine) -> None:
    """The proxy of an owner is his to set, and so it is told what it does. Its value may be a password."""
    text = '[Service]\nEnvironment="HTTPS_PROXY=http://me:secret@192.0.2.1:3128"\nLimitNOFILE=1\n'
    path = drop_in(machine, "containerd.service.d/http-proxy.conf", text)
    assert find_foreign(machine) == []
    (found,) = find_settings(machine)
    assert found == {"path": path, "unit": "containerd.service", "settings": ["Environment"], "proxy": True}


def test_of_drop_ins_with_one_name_the_administrator_s_counts(machine: Machine) -> None:
    drop_in(machine, "kubelet.service.d/a.conf", "[Service]\nExecStart=\n", "/usr/lib/systemd/system")
    drop_in(machine, "kubelet.service.d/a.conf", "[Service]\nNice=5\n")
    assert find_foreign(machine) == find_settings(machine) == []
