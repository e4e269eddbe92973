# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a cluster of one control plane and some workers takes on hosts of the lab: ours, and kubeadm's.

Both begin with hosts that have just started. Ours is measured from the start of the playbook, and brings containerd;
kubeadm's from `kubeadm init`, with containerd and all programs there already. Needs root; the lab starts its own hosts.
"""

from __future__ import annotations

import argparse
import functools
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time

from ansible_collections.kubeops.kops.tests.lab import binaries, cluster, hosts, kubeadm, network, running

MINOR = binaries.NEWEST


class Clock:
    """Seconds since the start at which something was done."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.rows: list[tuple[str, float]] = []

    def done(self, name: str) -> None:
        """Note it."""
        self.rows.append((name, time.monotonic() - self.started))


def fresh(count: int) -> list[str]:
    """So many hosts that have just started."""
    hosts.remove(*(name for name in hosts.names() if name.startswith("test")))
    return running.start_hosts(count, "test")


def watch(names: list[str], clock: Clock, stop: threading.Event) -> None:
    """Note when the first node is ready, when all are, and when the cluster's DNS is rolled out, as with kubeadm."""
    before, dns = 0, False
    while (before < len(names) or not dns) and not stop.wait(0.3):
        ready = len(running.ready_nodes(names[0]))
        if ready > before:
            clock.done("all ready" if ready == len(names) else f"{ready} of {len(names)} ready")
        before = ready
        if ready and not dns and _dns_is_rolled_out(names[0]):
            clock.done("DNS rolled out")
            dns = True


def _dns_is_rolled_out(host: str) -> bool:
    status = ("--namespace=kube-system", "--output=jsonpath={.spec.replicas} {.status.availableReplicas}")
    wanted, _space, available = running.kubectl("get", "deployment/coredns", *status, host=host, check=False).partition(
        " "
    )
    return wanted.isdigit() and wanted == available


def measure_ours(names: list[str]) -> list[tuple[str, Clock]]:
    """Create the cluster, then run the same again."""
    first, *others = names
    directory = pathlib.Path(tempfile.mkdtemp(prefix="kops-bench-"))
    manifest = directory / "cluster.yml"
    group = {"minSize": len(others), "maxSize": len(others)}
    manifest.write_text(cluster.manifest(kubernetes=MINOR, api=network.address(first), nodes=group))
    variables = {"kops_manifest": str(manifest), "kops_state_store": f"file://{directory}/store"}
    inventory = running.inventory({cluster.control_plane_group(0): [first], "nodes": others})
    create = functools.partial(running.playbook, "create_cluster", inventory, variables)
    try:
        clock, stop = Clock(), threading.Event()
        watcher = threading.Thread(target=watch, args=(names, clock, stop))
        watcher.start()
        made = create()
        clock.done("playbook ended, cluster validated")
        stop.set()
        watcher.join()
        again = Clock()
        unchanged = create()
        again.done(f"playbook ended, changed={unchanged.changed}")
    finally:
        shutil.rmtree(directory)
    for run in (made, unchanged):
        if run.code:
            raise SystemExit(run.output)
        print("".join(f"    {seconds:6.1f} s  {name}\n" for seconds, name in run.slowest(6)), file=sys.stderr)
    return [("ours", clock), ("ours, unchanged", again)]


def measure_kubeadm(names: list[str]) -> list[tuple[str, Clock]]:
    """Prepare hosts, and create the cluster."""
    kubeadm.prepare(names, binaries.build_all((MINOR,)), MINOR)
    clock = Clock()
    kubeadm.create(names, MINOR, clock.done)
    return [("kubeadm", clock)]


def main() -> None:
    """Measure both, and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=("ours", "kubeadm"))
    parser.add_argument("--keep", action="store_true", help="leave the hosts of the last one running")
    options = parser.parse_args()
    running.prepare((MINOR,))
    for name, measured in {"ours": measure_ours, "kubeadm": measure_kubeadm}.items():
        if options.only in (None, name):
            load = os.getloadavg()[0]
            names = fresh(1 + options.workers)
            for title, clock in measured(names):
                print(f"{title} (load of the machine before: {load:.1f})")
                print("".join(f"  {seconds:6.1f} s  {row}\n" for row, seconds in clock.rows), flush=True)
    if not options.keep:
        hosts.remove(*(name for name in hosts.names() if name.startswith("test")))


if __name__ == "__main__":
    main()
