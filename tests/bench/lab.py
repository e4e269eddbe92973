# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a cluster of one control plane and some workers takes on hosts of the lab: ours, and kubeadm's.

Both begin with hosts that have just started. Ours is measured from the start of the playbook, and brings containerd;
kubeadm's from `kubeadm init`, with containerd and all programs there already. Needs root; the lab starts its own hosts.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import RetryPolicy
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


def watch(count: int, connect: Callable[[], KubernetesClient], clock: Clock, stop: threading.Event) -> None:
    """Note when the first node is ready, when all are, when DNS is rolled out, and when all pods are ready.

    It asks the API server in this process: kubectl would take a third of a processor from what is measured.
    count: of nodes. connect: a client of the API server; raises RuntimeError while there is none.
    """
    left = {"1": _first, "all": _all, "DNS": _dns, "pods": _pods}
    rows = {"1": f"1 of {count} ready", "all": "all ready", "DNS": "DNS rolled out", "pods": "all pods ready"}
    client: KubernetesClient | None = None
    while left and not stop.wait(0.2):
        try:
            client = client or connect()
            for name in [name for name, is_done in left.items() if is_done(client, count)]:
                del left[name]
                clock.done(rows[name])
        except KopsError:
            continue
        except RuntimeError:
            time.sleep(1)


def client_of(kubeconfig: str, address: str) -> KubernetesClient:
    """A client of the API server at an address. kubeconfig: the content of an administrator's."""
    with tempfile.NamedTemporaryFile("w+") as copy:
        copy.write(kubeconfig)
        copy.flush()
        return KubernetesClient.from_kubeconfig(copy.name, address=address, retry=RetryPolicy(0, timeout=2))


def _client(host: str, path: str) -> KubernetesClient:
    """A client of a host's API server. Raises RuntimeError while there is no kubeconfig."""
    return client_of(hosts.within(host, "cat", path), network.address(host))


def _first(client: KubernetesClient, _count: int) -> bool:
    return any(map(_is_ready, client.list("/api/v1/nodes")))


def _all(client: KubernetesClient, count: int) -> bool:
    return sum(map(_is_ready, client.list("/api/v1/nodes"))) == count


def _dns(client: KubernetesClient, _count: int) -> bool:
    found = client.find("/apis/apps/v1/namespaces/kube-system/deployments/coredns") or {"spec": {}}
    return bool(found["spec"]) and found["spec"]["replicas"] == found["status"].get("availableReplicas")


def _pods(client: KubernetesClient, count: int) -> bool:
    """Whether DNS, the network of every node and all that runs besides are ready, as our validation wants it."""
    network_pods = list(client.list("/api/v1/namespaces/kube-flannel/pods"))
    system = list(client.list("/api/v1/namespaces/kube-system/pods"))
    return len(network_pods) == count and _dns(client, count) and all(map(_is_ready, [*network_pods, *system]))


def _is_ready(node_or_pod: Mapping[str, Any]) -> bool:
    conditions = node_or_pod["status"].get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


@contextlib.contextmanager
def watched(count: int, connect: Callable[[], KubernetesClient], clock: Clock) -> Iterator[None]:
    """Watch what comes about meanwhile, at the end until all of it has."""
    stop = threading.Event()
    watcher = threading.Thread(target=watch, args=(count, connect, clock, stop), daemon=True)
    watcher.start()
    try:
        yield
        watcher.join(120)
    finally:
        stop.set()
        watcher.join()


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
        clock = Clock()
        with watched(len(names), lambda: _client(first, running.ADMIN_KUBECONFIG), clock):
            made = create()
            clock.done("playbook ended, cluster validated")
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
    with watched(len(names), lambda: _client(names[0], kubeadm.KUBECONFIG), clock):
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
