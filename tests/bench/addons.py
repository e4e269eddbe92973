# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the module addons costs if nothing changes, with so many addons: wall time, CPU, requests, connections, bytes.

The API server is a real one on loopback (the lab's programs), without nodes. Each addon is CoreDNS with its
autoscaler under names of its own. Runs of all sizes take turns, so that what else the machine does concerns all.
Requests are counted in runs of their own, through a server in between.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import addons_of
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.pruned import NAME_LABEL
from ansible_collections.kubeops.kops.tests.support.faulty_api import faulty_api
from ansible_collections.kubeops.kops.tests.support.kubernetes import control_plane

SCRIPT = pathlib.Path(__file__).parents[2] / "plugins" / "modules" / "addons.py"
COREDNS = "coredns.addons.k8s.io"
CLUSTER = {
    "metadata": {"name": "bench.example.com", "labels": {"alpha.kops.k8s.io/cloud": "metal"}},
    "spec": {
        "kubernetesVersion": "1.34.2",
        "kubeDNS": {
            "domain": "cluster.local",
            "serverIP": "",
            "memoryRequest": "70Mi",
            "memoryLimit": "170Mi",
            "cpuRequest": "100m",
            "cpaImage": "registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.9.0",
        },
        "networking": {"nonMasqueradeCIDR": "100.64.0.0/10", "topology": {"dns": "None"}, "flannel": {}},
    },
}


def addons(count: int) -> list[dict[str, Any]]:
    """So many addons with the same objects, but for their names."""
    found = addons_of(AddonContext(codec.from_plain(Cluster, CLUSTER), [], 3), lambda urls: {})
    objects = next(addon.objects for addon in found.addons if addon.name == COREDNS)
    names = {number: f"{number}.{COREDNS}" for number in range(count)}
    return [{"name": name, "objects": [_renamed(obj, number) for obj in objects]} for number, name in names.items()]


def _renamed(obj: dict[str, Any], number: int) -> dict[str, Any]:
    obj = copy.deepcopy(obj)
    obj["metadata"]["name"] = f"{obj['metadata']['name']}-{number}"
    obj["metadata"]["labels"][NAME_LABEL] = f"{number}.{COREDNS}"
    return obj


def run(kubeconfig: str, given: list[dict[str, Any]]) -> dict[str, float]:
    """One run of the module, in a process of its own: seconds, CPU seconds, and whether it changed anything."""
    arguments = {"kubeconfig": kubeconfig, "addons": given, "wait": 0}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        input=json.dumps({"ANSIBLE_MODULE_ARGS": arguments}),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    seconds, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    changed = json.loads(done.stdout.splitlines()[-1])["changed"]
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "cpu": cpu, "changed": float(changed)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--addons", default="1,20", help="numbers of addons, the first is compared with")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    sizes = [int(size) for size in options.addons.split(",")]
    given = {size: addons(size) for size in sizes}
    figures: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name, control_plane(pathlib.Path(name)) as running:
        run(running.kubeconfig, given[max(sizes)])
        measured: dict[int, list[dict[str, float]]] = {size: [] for size in sizes}
        for _number in range(options.runs):
            for size in sizes:
                measured[size].append(run(running.kubeconfig, given[size]))
        for size in sizes:
            with faulty_api(running, pathlib.Path(name)) as counting:
                run(counting.kubeconfig, given[size])
            assert not any(each["changed"] for each in measured[size])
            figures[size] = {
                "objects": sum(len(addon["objects"]) for addon in given[size]),
                "seconds": statistics.median(each["seconds"] for each in measured[size]),
                "cpu": statistics.median(each["cpu"] for each in measured[size]),
                "requests": len(counting.requests),
                "writes": len(counting.writes()),
                "connections": counting.connections,
                "sent": sum(request.sent for request in counting.requests),
                "received": sum(request.received for request in counting.requests),
            }
    first = figures[sizes[0]]
    for what in first:
        cells = "".join(f"{figures[size][what]:>12.2f}" for size in sizes)
        ratios = "".join(f"{figures[size][what] / first[what]:>8.2f}x" if first[what] else "" for size in sizes[1:])
        print(f"{what:>12}{cells}{ratios}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
