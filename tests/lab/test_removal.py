# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts leave a cluster, and the cluster is deleted: nothing of ours is left on any host."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import cluster, hosts, network, running

pytestmark = pytest.mark.long

CONTROL_PLANE, WORKER = "test1", "test2"
# But for what the system itself changes meanwhile, and what Ansible and this test's own kubectl keep.
LOOK = r"""
find / /run /mnt /var/lib/containerd /var/lib/kubelet /var/lib/etcd -xdev \
  \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /root/.ansible \
  -o -path /root/.kube -o -path /var/log/journal \
  -o -path /var/lib/systemd -o -path /run/user -o -path /run/systemd -o -path /run/udev -o -path /run/log \
  -o -path /run/motd.dynamic -o -path /run/xtables.lock -o -path /var/lib/logrotate -o -name __pycache__ \) \
  -prune -o -printf 'file %y %m %u:%g %p %l\n' | sort -u
systemctl list-unit-files --plain --no-legend | awk '{print "unit file", $1, $2}'
systemctl list-units --all --plain --no-legend --type=service,timer,slice,mount,scope |
  awk '!/session-|user-|user@|ssh@|tmpfiles-clean|apt-daily|dpkg-db|e2scrub|logrotate.service/ {print "unit", $1, $3}'
cut -d' ' -f5 /proc/self/mountinfo | sed 's/^/mount /' | sort
ls /sys/class/net | sed 's/^/interface /'
ip route | sed 's/^/route /'; ip -6 route | grep -v fe80 | sed 's/^/route /'; ip rule | sed 's/^/rule /'
for program in iptables ip6tables; do $program-save | grep '^-A\|^:.* - '; done
find /sys/fs/cgroup -name '*kube*' -o -name 'cri-containerd*'
ps -eo comm= | grep -x 'kubelet\|containerd\|containerd-shim\|etcd\|pause\|flanneld\|coredns'
grep -v '^#' /etc/hosts /etc/passwd /etc/group
true
"""


def look(host: str) -> set[str]:
    """What there is on a host: files, units, mounts, interfaces, routes, rules for packets, processes."""
    return set(hosts.within(host, "sh", "-c", LOOK).splitlines())


@pytest.fixture(scope="module")
def before(lab: Callable[[int], list[str]]) -> dict[str, set[str]]:
    """The hosts as they are at first."""
    return {host: look(host) for host in lab(2)}


@pytest.fixture(scope="module")
def run(
    before: dict[str, set[str]], state_store: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., running.Run]:
    """Function: run a playbook for the cluster, which runs already."""
    manifest = tmp_path_factory.mktemp("manifest") / "cluster.yml"
    manifest.write_text(cluster.manifest(api=network.address(CONTROL_PLANE)))
    inventory = running.inventory({"control-plane-a": [CONTROL_PLANE], "nodes": [WORKER]})
    variables = {"kops_state_store": state_store, "kops_cluster_name": cluster.NAME}

    def play(name: str, *options: str, **more: str) -> running.Run:
        return running.playbook(name, inventory, {**variables, **more}, *options)

    made = play("create_cluster", kops_manifest=str(manifest))
    assert made.code == 0, made.output
    return play


def test_the_last_control_plane_does_not_leave(run: Callable[..., running.Run]) -> None:
    refused = run("remove_hosts", kops_remove=CONTROL_PLANE)
    assert refused.code != 0
    assert refused.changed == 0
    assert "no control plane would be left" in refused.output


def test_a_host_that_leaves_is_what_it_was(run: Callable[..., running.Run], before: dict[str, set[str]]) -> None:
    # There is no other node that its pods could go to.
    options = {"kops_remove": WORKER, "kops_drain_timeout": "10"}
    here = look(WORKER)
    assert run("remove_hosts", "--check", **options).changed > 0
    assert look(WORKER) == here
    done = run("remove_hosts", **options)
    assert done.code == 0, done.output
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE]
    assert look(WORKER) ^ before[WORKER] == set()
    again = run("remove_hosts", **options)
    assert (again.code, again.changed) == (0, 0), again.output


def test_it_may_come_again_and_all_goes(run: Callable[..., running.Run], before: dict[str, set[str]]) -> None:
    back = run("hosts")
    assert back.code == 0, back.output
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER]
    hosts.kill(WORKER)
    refused = run("delete_cluster")
    assert refused.code != 0
    assert refused.changed == 0
    assert f"{WORKER}: cannot be reached" in refused.output
    hosts.start(WORKER)
    deleted = run("delete_cluster")
    assert deleted.code == 0, deleted.output
    assert look(CONTROL_PLANE) ^ before[CONTROL_PLANE] == set()
    again = run("delete_cluster")
    assert (again.code, again.changed) == (0, 0), again.output
