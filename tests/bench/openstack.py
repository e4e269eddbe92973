# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What clusters in OpenStack cost beside kops: requests to the services, and wall time.

OpenStack's own services run on loopback and share the machine (needs root on Debian, with KOPS_LAB_INSTALL=1). kops is
a program that is given; without, the collection is measured alone. Both get the same specification in a project of
their own, one after the other: kops is its program, the collection is ansible-playbook, with the start of Ansible.
"""

from __future__ import annotations

import argparse
import contextlib
import http.server
import json
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import WantedCluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import openstack_sdk
from ansible_collections.kubeops.kops.tests.support import programs
from ansible_collections.kubeops.kops.tests.support.openstack import cloud as openstack
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import KEY
from ansible_collections.kubeops.kops.tests.support.openstack.counted import Call, Counted
from ansible_collections.kubeops.kops.tests.support.openstack.services import LOOPBACK
from ansible_collections.kubeops.kops.tests.support.openstack.site import DOMAIN

NAME, STORE = "bench.k8s.local", "swift://kops-bench"
# The second worker of the zone in which there are two needs a host of its own.
ZONES = {"az-1": 2, "az-2": 1, "az-3": 1}
KOPS, OURS = "kops", "here"
_FIRST, _UNCHANGED, _DELETION = "first apply", "unchanged", "deletion"
_COMMON = {
    "cloud": "openstack",
    # kops reads no channel of another place then.
    "channel": "none",
    "kubernetes_version": "1.36.3",
    "network_cidr": ["10.0.0.0/16"],
    "networking": "flannel",
    "topology": "private",
    "dns": "none",
    "image": openstack.IMAGE,
    "os_ext_net": openstack.EXTERNAL,
    "etcd_storage_type": "standard",
    "ssh_public_key": KEY,
}
_BALANCED = {
    "zones": [*ZONES],
    "control_plane_count": 3,
    "node_count": 3,
    "bastion": True,
    "os_octavia": True,
    "api_loadbalancer_type": "public",
}


@dataclass(frozen=True)
class Case:
    """A cluster. options: as of the module create. groups: how many it has, with further ones of one worker each."""

    title: str
    options: Mapping[str, Any]
    groups: int = 0


CASES = {
    "small": Case("1 + 2", {"zones": ["az-1"], "node_count": 2}),
    "balanced": Case("3 + 3, bastion, load balancer", _BALANCED),
    "groups": Case("the same with 15 groups", _BALANCED, 15),
}


@dataclass(frozen=True)
class Cost:
    """Of one step. calls: to all services but the state store's; changing: those of them that change something.

    store: calls to the state store. seconds: wall time.
    """

    calls: int
    changing: int
    store: int
    seconds: float


def measured(command: Sequence[str], services: Counted, environment: Mapping[str, str]) -> tuple[Cost, Counter[Call]]:
    """Run a command once. environment: what it has besides ours. Raises Failed with its output if it fails."""
    with services.recorded() as calls:
        started = time.monotonic()
        programs.run(*command, cwd=pathlib.Path.cwd(), **environment)
        seconds = time.monotonic() - started
    store = sum(count for call, count in calls.items() if call.service == "swift")
    changing = sum(count for call, count in calls.items() if call.service != "swift" and not call.reads)
    return Cost(calls.total() - store, changing, store, round(seconds, 1)), calls


def commands(tool: str, kops: str) -> dict[str, Sequence[str]]:
    """Step -> what carries it out, in the order of a cluster's life. kops: its program."""
    if tool == KOPS:
        update, delete = ((kops, each, "cluster", f"--name={NAME}", "--yes") for each in ("update", "delete"))
    else:
        playbook = str(pathlib.Path(sys.executable).parent / "ansible-playbook")
        update, delete = ((playbook, f"kubeops.kops.{each}_cluster") for each in ("update", "delete"))
    return {_FIRST: update, _UNCHANGED: update, _DELETION: delete}


def lives(
    case: Case, tool: str, kops: str, services: Counted, login: Mapping[str, str], directory: pathlib.Path
) -> Iterator[tuple[str, Cost, Counter[Call]]]:
    """The steps of a cluster, and what each cost. login: environment of its user. directory: for files of the tool."""
    os.environ.update(login)
    connection = openstack_sdk.connect()
    connection.object_store.create_container(STORE.partition("://")[2])
    connection.close()
    store_cluster(case)
    files = {"HOME": str(directory), "KUBECONFIG": str(directory / "kubeconfig")}
    with fingerprints() as url:
        given = {"KOPS_BASE_URL": url, "OS_DOMAIN_NAME": DOMAIN} if tool == KOPS else {}
        for step, command in commands(tool, kops).items():
            yield (step, *measured(command, services, {**files, **given}))


def store_cluster(case: Case) -> None:
    """Store the specification, by this collection."""
    create_cluster({"name": NAME, "state_store": STORE, **_COMMON, **case.options}, check_mode=False)
    _cluster, stored = ClusterStore.open(STORE, NAME).read()
    node = next(group for group in stored if group.spec.role == "Node")
    wanted = WantedCluster(NAME)
    for number in range(len(stored), case.groups):
        more = codec.copy(node)
        more.metadata.name = f"nodes-{number:02d}"
        wanted.groups.append(more)
    put(StoreOptions(STORE), [wanted])


@contextlib.contextmanager
def fingerprints() -> Iterator[str]:
    """The URL of a place that has a fingerprint of each file: kops asks for those of its own programs."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"0" * 64)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer((LOOPBACK, 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{LOOPBACK}:{server.server_address[1]}/"
        finally:
            server.shutdown()


def allow(cloud: openstack.Cloud, project: str) -> None:
    """Let a project have a cluster with many groups."""
    found = cloud.admin.identity.find_project(project, ignore_missing=False).id
    compute = {"instances": 50, "cores": 200, "ram": 500_000, "server_groups": 50}
    cloud.admin.set_compute_quotas(found, **compute)
    cloud.admin.set_volume_quotas(found, volumes=50)
    cloud.admin.set_network_quotas(found, security_group_rule=500, port=500)


def table(costs: Mapping[tuple[str, str], Mapping[str, Cost]]) -> str:
    """A row for each step. costs: case and step -> tool -> what it cost. The last columns are ours, of kops' part."""
    titles = ("cluster", "step", "by", "calls", "changing", "state store", "seconds")
    widths = (max(len(each.title) for each in CASES.values()), *map(len, (_FIRST, "kops")), 8, 8, 11, 8)
    rows = [titles]
    for (case, step), tools in costs.items():
        for tool, cost in tools.items():
            rows.append((case, step, tool, *map(str, asdict(cost).values())))
        if KOPS in tools and OURS in tools:
            theirs, ours = (asdict(tools[tool]).values() for tool in (KOPS, OURS))
            parts = (f"{own / other:.2f}" if other else "-" for own, other in zip(ours, theirs, strict=True))
            rows.append(("", "", "part", *parts))
    lines = []
    for row in rows:
        texts = zip(row, widths, range(len(widths)), strict=True)
        lines.append("  ".join(f"{text:{width}}" if at < 3 else f"{text:>{width}}" for text, width, at in texts))
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="script/bench openstack", description=__doc__)
    parser.add_argument("--case", action="append", choices=[*CASES], help="only this one; can be repeated")
    parser.add_argument("--kops", default=shutil.which("kops") or "", help="kops' program; by default that of PATH")
    parser.add_argument("--json", type=pathlib.Path, help="file for the costs, and for the calls by kind")
    arguments = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("OS_")]:
        del os.environ[name]
    os.environ.update(KOPS_STATE_STORE=STORE, KOPS_CLUSTER_NAME=NAME)
    if not arguments.kops:
        print("kops is not here (--kops PROGRAM): the collection is measured alone", flush=True)
    costs: dict[tuple[str, str], dict[str, Cost]] = {}
    kinds: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="kops-bench-") as place, contextlib.ExitStack() as ending:
        directory = pathlib.Path(place)
        (directory / "openstack").mkdir()
        try:
            cloud = ending.enter_context(openstack.whole(directory / "openstack", ZONES))
        except pytest.skip.Exception as reason:
            raise SystemExit(str(reason)) from None
        services = ending.enter_context(Counted(cloud))
        for case in arguments.case or CASES:
            for tool in (KOPS, OURS) if arguments.kops else (OURS,):
                own = directory / f"{case}-{tool}"
                own.mkdir()
                login = services.login(cloud.user(own.name))
                allow(cloud, own.name)
                for step, cost, calls in lives(CASES[case], tool, arguments.kops, services, login, own):
                    costs.setdefault((CASES[case].title, step), {})[tool] = cost
                    asked = {f"{call.service} {call.method} {call.path}": count for call, count in calls.most_common()}
                    kinds.append({"case": case, "step": step, "by": tool, **asdict(cost), "asked": asked})
                    print(f"{case}, {step}, {tool}: {cost}", file=sys.stderr, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(kinds, indent=1) + "\n", encoding="utf-8")
    print(table(costs))


if __name__ == "__main__":
    main()
