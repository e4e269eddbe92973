# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a cluster on AWS takes in the lab's cloud, beside bare metal and kubeadm; and one more worker of it.

First each of the three makes a cluster of one control plane and some workers from nothing, all with flannel. Then,
while the cluster runs, workers come one after the other: in the cloud by a larger autoscaling group, with kubeadm as a
host that at its boot downloads the same programs, all at once, and joins. The table has the median of each moment,
counted from the start of the machine. Needs root; the lab starts its own hosts, and the cloud must not be in use.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence

from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.tests.bench import lab
from ansible_collections.kubeops.kops.tests.bench.node_watch import NodeWatch, Seen, watching
from ansible_collections.kubeops.kops.tests.bench.timeline import STARTING, Machine
from ansible_collections.kubeops.kops.tests.lab import hosts, kubeadm, network, running
from ansible_collections.kubeops.kops.tests.lab.cloud import account, command_line, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

# What issue 14 allows a worker besides what the boot of its host, downloads and kubeadm join take.
ALLOWED = 2.0
_CACHE, _CONFIGURATION = "/var/cache/kops/downloads", "kops-configuration.service"
_READY, _TAKES_PODS = "Node is Ready", "Node takes pods"
Moments = dict[str, float]


def node_moments(machine: Machine) -> Moments:
    """Steps of an instance in their order -> moment, as far as it has come."""
    found = {
        "host has booted, user data begins": machine.unit("lab-user-data.service", STARTING),
        "loader begins": machine.unit(_CONFIGURATION),
        "node program is loaded": machine.written("/opt/kubeops", "kops-node"),
        "instance is known": machine.said(_CONFIGURATION, "kubeops: this is i-"),
        "volumes of etcd are there": machine.said(_CONFIGURATION, "this is member a of etcd cluster events"),
        "NodeConfig is there": machine.written("/opt/kubeops", "nodeconfig-*"),
        "downloads are there": machine.written(_CACHE),
        "programs are installed": machine.unit("containerd.service", STARTING),
        **_run_moments(machine),
        "API server answers": machine.said("kops-controller-manager.service", "this control plane leads"),
        "Node is registered": machine.said("kubelet.service", "Successfully registered node"),
        "addons are applied": machine.said("kops-controller-manager.service", "addons are applied"),
        "kubelet says NodeReady": machine.said("kubelet.service", 'event="NodeReady"'),
    }
    return _passed(machine, found)


def kubeadm_moments(machine: Machine) -> Moments:
    """The same of a host that joins by kubeadm."""
    found = {
        "host has booted, user data begins": machine.unit(kubeadm.JOINING, STARTING),
        "downloads are there": machine.said(kubeadm.JOINING, kubeadm.DOWNLOADED),
        "programs are installed": machine.said(kubeadm.JOINING, kubeadm.INSTALLED),
        **_run_moments(machine),
        "Node is registered": machine.said("kubelet.service", "Successfully registered node"),
    }
    return _passed(machine, found)


def _run_moments(machine: Machine) -> dict[str, float | None]:
    names = ("containerd", "kubelet")
    return {f"{name} has started": machine.unit(f"{name}.service") for name in names}


def _passed(machine: Machine, found: Mapping[str, float | None]) -> Moments:
    started = machine.started()
    return {step: moment - started for step, moment in found.items() if moment is not None}


def _joined(moments: Moments, seen: Seen, machine: Machine) -> Moments:
    started = machine.started()
    assert seen.ready is not None and seen.takes_pods is not None
    return {**moments, _READY: seen.ready - started, _TAKES_PODS: seen.takes_pods - started}


# -- from nothing ---------------------------------------------------------------------------------------------------


def measure_cloud(site: CloudSite, workers: int) -> list[tuple[str, lab.Clock]]:
    """Create the cluster on AWS."""

    def connect() -> KubernetesClient:
        running_now = site.control_planes()
        if not running_now:
            raise RuntimeError("no control plane yet")
        kubeconfig = machines.within(running_now[0], "cat", running.ADMIN_KUBECONFIG)
        return lab.client_of(kubeconfig, _address(site, running_now[0]))

    clock = lab.Clock()
    with lab.watched(1 + workers, connect, clock):
        run = site.create(kops_validate_wait=600)
        clock.done("playbook ended, cluster validated")
    if run.code:
        raise SystemExit(f"{run.output}\n{site.state()}")
    return [("AWS in the lab's cloud", clock)]


def _address(site: CloudSite, name: str) -> str:
    return str(site.instances()[name]["PrivateIpAddress"])


# -- one more worker ------------------------------------------------------------------------------------------------


def workers_in_cloud(site: CloudSite, rounds: int) -> Iterator[Moments]:
    """Workers that their group starts, each removed before the next one."""
    control_plane = site.control_planes()[0]
    with _watching(machines.within(control_plane, "cat", running.ADMIN_KUBECONFIG), _address(site, control_plane)) as w:
        for _round in range(rounds):
            before = set(site.workers())
            _resize(len(before) + 1)
            (new,) = _new(site, before)
            seen = w.wait(new)
            machine = Machine(machines.PREFIX + new)
            yield _joined(node_moments(machine), seen, machine)
            _resize(len(before), away=new)
            site.wait_ready()


def _new(site: CloudSite, before: set[str]) -> set[str]:
    site.wait(lambda: len(site.workers()) > len(before), 30)
    return set(site.workers()) - before


def _resize(count: int, away: str = "") -> None:
    """Set the size of the workers' group. away: the instance that goes for it."""
    groups = account.pages("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups")
    (name,) = (each["AutoScalingGroupName"] for each in groups if each["AutoScalingGroupName"].startswith("nodes"))
    sizes = {"MinSize": min(count, 1), "MaxSize": count + 1}
    client = account.client("autoscaling")
    client.update_auto_scaling_group(AutoScalingGroupName=name, **sizes, **({} if away else {"DesiredCapacity": count}))
    if away:
        client.terminate_instance_in_auto_scaling_group(InstanceId=away, ShouldDecrementDesiredCapacity=True)


def workers_of_kubeadm(names: Sequence[str], rounds: int) -> Iterator[Moments]:
    """Hosts that join at their boot, each removed before the next one. names: of the cluster's hosts."""
    first = names[0]
    join, new = kubeadm.join_command(first), f"test{len(names) + 1}"
    with _watching(hosts.within(first, "cat", kubeadm.KUBECONFIG), network.address(first)) as w:
        for _round in range(rounds):
            machine_name = kubeadm.boot(new, join, lab.MINOR)
            seen = w.wait(new)
            machine = Machine(machine_name)
            yield _joined(kubeadm_moments(machine), seen, machine)
            hosts.remove(new)
            hosts.within(first, "kubectl", f"--kubeconfig={kubeadm.KUBECONFIG}", "delete", "node", new)
            w.forget(new)


@contextlib.contextmanager
def _watching(kubeconfig: str, address: str) -> Iterator[NodeWatch]:
    with tempfile.NamedTemporaryFile("w+") as copy:
        copy.write(kubeconfig)
        copy.flush()
        with watching(copy.name, address) as watch:
            yield watch


# -- what is printed ------------------------------------------------------------------------------------------------


def table(measured: Mapping[str, Sequence[Moments]]) -> str:
    """Rows of steps; for each kind the median of the moment, and of what passed since its step before."""
    steps = list(dict.fromkeys(step for rounds in measured.values() for moments in rounds for step in moments))
    widest = max(map(len, steps))
    medians = {
        kind: {step: statistics.median(each[step] for each in rounds) for step in steps if step in rounds[0]}
        for kind, rounds in measured.items()
    }
    lines = [" " * widest + "".join(f"{kind:>20}" for kind in measured)]
    before = dict.fromkeys(measured, 0.0)
    ordered = sorted(steps, key=lambda step: min(found[step] for found in medians.values() if step in found))
    for step in ordered:
        line = f"{step:{widest}}"
        for kind, found in medians.items():
            if step in found:
                line += f"{found[step]:10.2f} {found[step] - before[kind]:+8.2f}s"
                before[kind] = found[step]
            else:
                line += " " * 20
        lines.append(line)
    return "\n".join(lines)


def verdict(ours: Sequence[Moments], theirs: Sequence[Moments]) -> str:
    """The difference that is allowed, and the one that is."""

    def ready(rounds: Sequence[Moments]) -> float:
        return statistics.median(each[_READY] for each in rounds)

    def each(rounds: Sequence[Moments]) -> str:
        return " ".join(f"{moments[_READY]:.2f}" for moments in rounds)

    difference = ready(ours) - ready(theirs)
    return (
        f"start to Ready: in the cloud {ready(ours):.2f} s ({each(ours)}); host boot + downloads + kubeadm join "
        f"{ready(theirs):.2f} s ({each(theirs)}); difference {difference:+.2f} s, at most {ALLOWED:+.2f} s is wanted"
    )


def _show(rows: Sequence[tuple[str, lab.Clock]], load: float) -> None:
    for title, clock in rows:
        print(f"{title} (load of the machine before: {load:.1f})")
        print("".join(f"  {seconds:6.1f} s  {row}\n" for row, seconds in clock.rows), flush=True)


def main() -> None:
    """Measure all, and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help="how many workers are added, one after the other")
    parser.add_argument("--only", action="append", choices=("cloud", "metal", "kubeadm"), help="can be repeated")
    parser.add_argument("--json", type=pathlib.Path, help="file for the moments of each added worker, in seconds")
    options = parser.parse_args()
    if account.is_running():
        raise SystemExit("the account of `script/lab cloud up` is in use; `script/lab cloud down` removes it")
    running.prepare((lab.MINOR,), ("aws-cloud-controller-manager",))
    added: dict[str, list[Moments]] = {}

    def cloud(directory: str) -> None:
        command_line.up()
        try:
            site = CloudSite(pathlib.Path(directory))
            site.write({"networking": "flannel", "node_count": options.workers})
            load = os.getloadavg()[0]
            _show(measure_cloud(site, options.workers), load)
            print("its control plane, from the start of the machine")
            print(table({"": [node_moments(Machine(machines.PREFIX + site.control_planes()[0]))]}), "\n", flush=True)
            added["cloud"] = list(workers_in_cloud(site, options.rounds))
        finally:
            command_line.down()

    def metal() -> None:
        load = os.getloadavg()[0]
        _show(lab.measure_ours(lab.fresh(1 + options.workers)), load)

    def by_kubeadm() -> None:
        load, names = os.getloadavg()[0], lab.fresh(1 + options.workers)
        _show(lab.measure_kubeadm(names), load)
        added["kubeadm"] = list(workers_of_kubeadm(names, options.rounds))

    def in_cloud() -> None:
        with tempfile.TemporaryDirectory(prefix="kops-bench-") as directory:
            cloud(directory)

    parts: dict[str, Callable[[], None]] = {"cloud": in_cloud, "metal": metal, "kubeadm": by_kubeadm}
    try:
        for name, part in parts.items():
            if not options.only or name in options.only:
                part()
    finally:
        hosts.remove(*(name for name in hosts.names() if name.startswith("test")))
    if options.json:
        options.json.write_text(json.dumps(added, indent=1))
    if added:
        print(f"one more worker, from the start of its machine, median of {options.rounds}")
        print(table(added))
    if len(added) == 2:
        print(verdict(added["cloud"], added["kubeadm"]))


if __name__ == "__main__":
    main()
