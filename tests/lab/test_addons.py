# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons whose programs run: metrics-server and cert-manager.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import (
    binaries,
    definitions,
    file_repository,
    running,
    workloads,
)
from ansible_collections.kubeops.kops.tests.lab.file_repository import FileRepository
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

FIRST = "test1"
kubectl = functools.partial(running.kubectl, host=FIRST)
kubectl_json = functools.partial(running.kubectl_json, host=FIRST)
ADDONS = ("cert-manager", "metrics-server")
METRICS, SYSTEM = "metrics-server", "--namespace=kube-system"


@pytest.fixture(scope="module")
def repository(prepared: None) -> Iterator[FileRepository]:
    """The programs of the addons in the lab's registry, and a file repository with the definitions of their kinds."""
    running.prepare((binaries.NEWEST,), ADDONS)
    with file_repository.running() as found:
        found.files.update(definitions.published())
        yield found


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site], repository: FileRepository) -> Site:
    """A control plane and a worker, with metrics-server."""
    made: Site = new_site()
    write(made, repository, metricsServer={"enabled": True, "insecure": True})
    return made


def write(site: Site, repository: FileRepository, **spec: Any) -> None:
    site.write(spec={"assets": {"fileRepository": repository.url}, **spec})


def top(what: str, *options: str) -> dict[str, list[str]]:
    """Name -> figures, as kubectl shows them."""
    lines = kubectl("top", what, "--no-headers", *options, check=False).splitlines()
    rows = [line.split() for line in lines if re.search(r"\d+m\s", line)]
    return {name: figures for name, *figures in rows}


def figures_of_all_nodes(site: Site) -> dict[str, list[str]]:
    found = top("nodes")
    return found if sorted(found) == site.nodes else {}


def figures_of_pods(*names: str) -> dict[str, list[str]]:
    """Of the system's pods, as soon as there are those of all pods whose names begin so."""
    found = top("pods", SYSTEM)
    return found if all(any(pod.startswith(name) for pod in found) for name in names) else {}


def nodes_with(name: str) -> list[str]:
    """The nodes with a ready pod that has this name in its label k8s-app."""
    pods = kubectl_json("get", "pods", SYSTEM)["items"]
    return sorted(
        pod["spec"]["nodeName"]
        for pod in pods
        if pod["metadata"]["labels"].get("k8s-app") == name
        and all(status["ready"] for status in pod["status"].get("containerStatuses", [{"ready": False}]))
    )


def test_kubectl_top_with_a_single_worker(created: running.Run, site: Site) -> None:
    """The second replica has no host; that is told, and nothing waits for it."""
    assert "Deployment kube-system/metrics-server runs 1 of 2 pods" in created.output
    nodes = workloads.eventually(lambda: figures_of_all_nodes(site), 90)
    pods = workloads.eventually(lambda: figures_of_pods(f"kube-apiserver-{FIRST}", METRICS), 90)
    print(f"\nmade in {created.seconds:.0f} s; {nodes} {pods}")
    assert all(int(cpu.removesuffix("m")) > 0 for cpu, *_others in nodes.values())
    assert all(int(memory.removesuffix("Mi")) > 0 for _cpu, memory in pods.values())
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def test_the_second_replica_comes_with_the_second_worker(
    created: running.Run, site: Site, repository: FileRepository, lab: Callable[[int], list[str]]
) -> None:
    site.workers = lab(3)[1:]
    write(site, repository, metricsServer={"enabled": True, "insecure": True})
    more = site.create()
    assert more.code == 0, more.output
    assert "runs 1 of 2 pods" not in more.output
    assert nodes_with(METRICS) == site.workers


def test_certificates_are_checked(created: running.Run, site: Site, repository: FileRepository) -> None:
    """With cert-manager; and both old pods make room for the new ones, which find no host beside them."""
    write(site, repository, metricsServer={"enabled": True, "insecure": False}, certManager={"enabled": True})
    secure = site.create()
    assert secure.code == 0, secure.output
    arguments = kubectl_json("get", "deployment", METRICS, SYSTEM)["spec"]["template"]["spec"]["containers"][0]["args"]
    assert "--kubelet-insecure-tls" not in arguments
    assert nodes_with(METRICS) == site.workers
    service = kubectl_json("get", "apiservice", "v1beta1.metrics.k8s.io")["spec"]
    assert service["caBundle"]
    assert not service.get("insecureSkipTLSVerify")
    nodes = workloads.eventually(lambda: figures_of_all_nodes(site), 90)
    print(f"\nin {secure.seconds:.0f} s; {nodes}")
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output
