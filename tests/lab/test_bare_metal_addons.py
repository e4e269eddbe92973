# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster on bare metal has instead of a cloud: MetalLB and the local path provisioner.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
import json
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import (
    binaries,
    definitions,
    file_repository,
    hosts,
    network,
    running,
    workloads,
)
from ansible_collections.kubeops.kops.tests.lab.commands import run
from ansible_collections.kubeops.kops.tests.lab.file_repository import FileRepository
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

FIRST = "test1"
kubectl = functools.partial(running.kubectl, host=FIRST)
kubectl_json = functools.partial(running.kubectl_json, host=FIRST)
NAMED = [{"manifest": "metallb"}, {"manifest": "local-path-storage"}]
# Addresses of the lab's network that no host has.
POOL = [f"10.89.77.{number}" for number in range(240, 244)]
DIRECTORY = "/opt/local-path-provisioner"


@pytest.fixture(scope="module")
def repository(prepared: None) -> Iterator[FileRepository]:
    """The programs of the addons in the lab's registry, and a file repository with the definitions of their kinds."""
    running.prepare((binaries.NEWEST,), ("local-path-provisioner", "metallb"))
    with file_repository.running() as found:
        found.files.update(definitions.published())
        yield found


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site], repository: FileRepository) -> Site:
    """A control plane and two workers, with both addons and addresses for Services."""
    made: Site = new_site(workers=2)
    write(made, repository, addons=NAMED)
    return made


def write(site: Site, repository: FileRepository, **spec: Any) -> None:
    site.write(spec={"assets": {"fileRepository": repository.url}, **spec})
    metallb = {"apiVersion": "metallb.io/v1beta1", "metadata": {"name": "lab", "namespace": "metallb-system"}}
    objects = [
        {**metallb, "kind": "IPAddressPool", "spec": {"addresses": [f"{POOL[0]}-{POOL[-1]}"]}},
        {**metallb, "kind": "L2Advertisement", "spec": {"ipAddressPools": ["lab"]}},
    ]
    with site.manifest.open("a") as file:
        for obj in objects:
            file.write("---\n" + yaml.safe_dump(obj))


@pytest.fixture(scope="module")
def address(created: running.Run) -> str:
    """The address of a Service of type LoadBalancer, before the web server's pods on each node."""
    workloads.start(kubectl)
    spec = {"type": "LoadBalancer", "selector": {"app": workloads.NAME}, "ports": [{"port": 80, "targetPort": 8080}]}
    kubectl("apply", "--filename=-", stdin=json.dumps(_object("v1", "Service", "balanced", spec)))
    started = time.monotonic()
    given = workloads.eventually(lambda: kubectl_json("get", "service", "balanced")["status"]["loadBalancer"])
    print(f"\nan address after {time.monotonic() - started:.1f} s: {given}")
    return str(given["ingress"][0]["ip"])


def _object(api_version: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def ask(address: str) -> str:
    """Which pod answers at an address, asked by this machine, which is no node."""
    with urllib.request.urlopen(f"http://{address}/hostname", timeout=2) as answer:
        return str(answer.read().decode())


def announcing(address: str, site: Site) -> list[str]:
    """The hosts that have answered ARP for an address."""
    neighbours = run("ip", "neighbour", "show", address)
    return [host for host in site.nodes if network.hardware_address(host) in neighbours]


def test_one_run_installs_all(created: running.Run) -> None:
    """The user's addresses wait for MetalLB's kinds and its webhook."""
    print(f"\nmade in {created.seconds:.0f} s, slowest: {created.slowest(3)}")
    pools = kubectl_json("get", "ipaddresspools,l2advertisements", "--namespace=metallb-system")["items"]
    assert [pool["kind"] for pool in pools] == ["IPAddressPool", "L2Advertisement"]


def test_a_second_run_changes_nothing(created: running.Run, site: Site) -> None:
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output
    validated = site.run("validate_cluster")
    assert validated.code == 0, validated.output


def test_a_service_answers_outside_of_the_cluster(address: str, site: Site) -> None:
    assert address in POOL
    pods = {pod["metadata"]["name"] for pod in kubectl_json("get", "pods", "--selector=app=web")["items"]}
    assert workloads.eventually(lambda: ask(address)) in pods
    (host,) = announcing(address, site)
    assert host in site.workers, "control planes are excluded by their label"


def writer(text: str) -> dict[str, Any]:
    """A pod that appends a line to the file of its volume."""
    command = f"echo {text} >> /data/lines; exec sleep 1000"
    container = {
        "name": "writer",
        "image": f"registry.k8s.io/e2e-test-images/agnhost:{binaries.VERSIONS['agnhost']}",
        "command": ["/bin/sh", "-c", command],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    spec = {"containers": [container], "volumes": [volume], "terminationGracePeriodSeconds": 0}
    return _object("v1", "Pod", "writer", spec)


def start_writer(text: str) -> str:
    """Run it; returns its node."""
    kubectl("apply", "--filename=-", stdin=json.dumps(writer(text)))
    kubectl("wait", "pod/writer", "--for=condition=Ready", "--timeout=120s")
    return str(kubectl_json("get", "pod", "writer")["spec"]["nodeName"])


def test_data_outlives_its_pod_and_goes_with_its_claim(created: running.Run) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    kubectl("apply", "--filename=-", stdin=json.dumps(_object("v1", "PersistentVolumeClaim", "data", spec)))
    node = start_writer("first")
    claim = kubectl_json("get", "persistentvolumeclaim", "data")
    assert (claim["spec"]["storageClassName"], claim["status"]["phase"]) == ("local-path", "Bound")
    kubectl("delete", "pod", "writer")
    assert start_writer("second") == node
    assert kubectl("exec", "writer", "--", "/bin/cat", "/data/lines").split() == ["first", "second"]
    assert hosts.within(node, "ls", DIRECTORY).split()
    kubectl("delete", "pod/writer", "persistentvolumeclaim/data")
    workloads.eventually(lambda: not hosts.within(node, "ls", DIRECTORY).split())


def test_what_is_not_named_any_more_stays(address: str, site: Site, repository: FileRepository) -> None:
    write(site, repository)
    without = site.create()
    assert without.code == 0, without.output
    assert workloads.eventually(lambda: ask(address))
    assert kubectl_json("get", "storageclass", "local-path")["provisioner"] == "rancher.io/local-path"
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def test_another_worker_takes_the_address(address: str, site: Site) -> None:
    (host,) = announcing(address, site)
    hosts.kill(host)
    killed = time.monotonic()
    others = [worker for worker in site.workers if worker != host]
    workloads.eventually(lambda: announcing(address, site) == others and ask(address), 90)
    print(f"\nanswers again after {time.monotonic() - killed:.1f} s")
