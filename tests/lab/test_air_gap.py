# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster is made from an offline bundle, on hosts that reach nothing but the mirror that it was loaded into."""

from __future__ import annotations

import pathlib
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import binaries, cluster, hosts, network, running, servers
from ansible_collections.kubeops.kops.tests.lab.commands import run
from ansible_collections.kubeops.kops.tests.lab.sites import Site

CONTROL_PLANE = "test1"
REGISTRY = f"{network.GATEWAY}:5002"
FILES = f"http://{network.GATEWAY}:5003"
# In place of the internet, which only the first half of the test may use: the lab's own servers.
OUTSIDE = (servers.REGISTRY, servers.FILES.rpartition("/")[2])
SOURCES = {
    **dict.fromkeys(("registry.k8s.io", "ghcr.io"), servers.REGISTRY),
    **dict.fromkeys(("https://dl.k8s.io", "https://github.com"), servers.FILES),
}
# A type of DNS record.
HINFO = 13
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and a worker, of a cluster that names the mirror."""
    return new_site(
        1,
        1,
        spec={
            "assets": {"containerRegistry": f"{REGISTRY}/kops", "fileRepository": f"{FILES}/mirror"},
            # The mirror speaks plain HTTP.
            "containerd": {"registryMirrors": {"*": [f"http://{REGISTRY}"]}},
        },
    )


@pytest.fixture(scope="module")
def mirror(prepared: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    """An empty registry and an empty server of files; the directory of both, with their logs."""
    directory = tmp_path_factory.mktemp("air-gap")
    configuration = {
        "version": 0.1,
        "log": {"level": "warn"},
        "storage": {"filesystem": {"rootdirectory": str(directory / "registry")}},
        "http": {"addr": REGISTRY},
    }
    (directory / "registry.yml").write_text(yaml.safe_dump(configuration))
    (directory / "files/mirror").mkdir(parents=True)
    program = str(binaries.build_all((binaries.NEWEST,))["registry"])
    port = FILES.rpartition(":")[2]
    commands = {
        "registry": [program, "serve", str(directory / "registry.yml")],
        "files": [sys.executable, "-m", "http.server", port, "--bind", network.GATEWAY, "-d", str(directory / "files")],
    }
    processes = []
    try:
        for name, command in commands.items():
            with (directory / f"{name}.log").open("wb") as log:
                processes.append(subprocess.Popen(command, stdout=log, stderr=log))
        for url in (f"http://{REGISTRY}/v2/", FILES):
            _wait(url)
        yield directory
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def _wait(url: str) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            urllib.request.urlopen(url).close()
            return
        except OSError:
            assert time.monotonic() < deadline, url
            time.sleep(0.1)


def _rules(host: str) -> list[tuple[str, ...]]:
    """What a host may not reach: the internet's stand-ins, and all other networks."""
    source = ("--source", network.address(host))
    ports = [("INPUT", *source, "-p", "tcp", "--dport", place.rpartition(":")[2]) for place in OUTSIDE]
    # Addresses of Services that no rule translates yet are no requests to others.
    beyond = ("FORWARD", *source, "!", "-o", network.BRIDGE.interface, "!", "--destination", cluster.SERVICE_CIDR)
    return [*ports, beyond]


@pytest.fixture(scope="module")
def cut_off(site: Site) -> Iterator[Callable[[], int]]:
    """Rejects packets of the hosts that are not for each other or the mirror. Function: how many it were."""
    rules = [rule for host in site.nodes for rule in _rules(host)]
    comment = ("-m", "comment", "--comment", "kops-lab-air-gap")
    try:
        for chain, *match in rules:
            run("iptables", "-I", chain, *match, *comment, "-j", "REJECT")
        yield lambda: sum(
            int(line.split()[0])
            for chain in ("INPUT", "FORWARD")
            for line in run("iptables", "-nvxL", chain).splitlines()
            if "kops-lab-air-gap" in line
        )
    finally:
        for chain, *match in rules:
            run("iptables", "-D", chain, *match, *comment, "-j", "REJECT", check=False)


@pytest.fixture(scope="module")
def asked_names(prepared: None) -> Iterator[list[tuple[str, int]]]:
    """Names that hosts ask their name server for, and the type of record: it knows none, and keeps them."""
    names: list[tuple[str, int]] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((network.GATEWAY, 53))

        def serve() -> None:
            while True:
                query, asker = server.recvfrom(4096)
                if not query:
                    return
                names.append(_question(query))
                # The same question, with the code for "refused".
                server.sendto(query[:2] + b"\x81\x05" + query[4:6] + bytes(6) + query[12:], asker)

        serving = threading.Thread(target=serve, daemon=True)
        serving.start()
        yield names
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", (network.GATEWAY, 53))
        serving.join()


def _question(query: bytes) -> tuple[str, int]:
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode(errors="replace"))
        at += 1 + query[at]
    return ".".join(labels), int.from_bytes(query[at + 1 : at + 3], "big")


def test_a_cluster_from_a_bundle(
    site: Site,
    mirror: pathlib.Path,
    cut_off: Callable[[], int],
    asked_names: list[tuple[str, int]],
    tmp_path: pathlib.Path,
) -> None:
    bundle, store = tmp_path / "bundle.tar", tmp_path / "outside"
    outside = {"kops_state_store": f"file://{store}"}
    stored = site.run("replace", kops_manifest=str(site.manifest), kops_force=True, **outside)
    assert stored.code == 0, stored.output
    reading = {"kops_sources": SOURCES, "kops_plain_http": [servers.REGISTRY]}
    reading["kops_architectures"] = [binaries.ARCHITECTURE]
    made = site.run("assets_bundle", kops_bundle=str(bundle), **outside, **reading)
    assert (made.code, made.changed) == (0, 1), made.output
    sha256 = made.results("Write the bundle")["localhost"]["sha256"]

    loading = {
        "kops_bundle": str(bundle),
        "kops_bundle_sha256": sha256,
        "kops_file_repository": f"file://{mirror}/files/mirror",
        "kops_container_registry": f"{REGISTRY}/kops",
        "kops_plain_http": [REGISTRY],
    }
    loaded = site.run("assets_load", **loading)
    assert (loaded.code, loaded.changed) == (0, 1), loaded.output
    again = site.run("assets_load", **loading)
    assert (again.code, again.changed) == (0, 0), again.output

    # The rules do reject.
    for place in OUTSIDE:
        said = hosts.within(CONTROL_PLANE, "curl", "-sm5", "-w", "%{exitcode}", f"http://{place}/", check=False)
        # It could not connect.
        assert said == "7"
    before = cut_off()
    assert before >= len(OUTSIDE)

    created = site.create()
    assert created.code == 0, created.output
    assert running.ready_nodes(CONTROL_PLANE) == site.nodes
    pods = running.kubectl_json("get", "pods", "--all-namespaces", host=CONTROL_PLANE)["items"]
    images = {container["image"] for pod in pods for container in pod["spec"]["containers"]}
    assert images and all(image.startswith(f"{REGISTRY}/kops/") for image in images), images
    assert {pod["status"]["phase"] for pod in pods} == {"Running"}
    unchanged = site.create()
    assert (unchanged.code, unchanged.changed) == (0, 0), unchanged.output

    listed = run("iptables", "-nvxL", "INPUT") + run("iptables", "-nvxL", "FORWARD")
    assert cut_off() == before, listed
    # CoreDNS asks whether it is its own name server, by a name of random numbers, and whether that one answers.
    others = [name for name in asked_names if name[0] and name[1] != HINFO]
    assert others == []
    served = (mirror / "files.log").read_text()
    assert "GET /mirror/release/" in served
    assert '" 404 ' not in served
    version = binaries.KUBERNETES[binaries.NEWEST]
    asker = rf"{network.address(CONTROL_PLANE)} .*/v2/kops/kube-apiserver/manifests/v{version}"
    assert re.search(asker, (mirror / "registry.log").read_text())
    print(f"\nbundle {made.seconds:.0f} s, {bundle.stat().st_size >> 20} MiB; load {loaded.seconds:.0f} s;", end=" ")
    print(f"cluster {created.seconds:.0f} s")
