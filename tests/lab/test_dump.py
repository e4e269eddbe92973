# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A dump of hosts over their connections: one runs, one is dead; then without an API server.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import cluster, hosts, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site
from ansible_collections.kubeops.kops.tests.support import dumps

pytestmark = pytest.mark.long
CONTROL_PLANE, WORKER = "test1", "test2"
MANIFEST, ASIDE = "/etc/kubernetes/manifests/kube-apiserver.manifest", "/root/kube-apiserver.manifest"


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    return new_site()


@pytest.fixture(scope="module")
def secrets(site: Site, created: running.Run) -> list[bytes]:
    """All secrets of the store, which are in logs of the hosts as well."""
    stored = site.run("secret", kops_secret="dockerconfig", kops_secret_value=dumps.DOCKER_CONFIG)
    assert stored.code == 0, stored.output
    found = dumps.secrets_of(site.state_store, cluster.NAME)
    for name in site.nodes:
        hosts.within(name, "sh", "-c", "cat >/var/log/leak.log", stdin=dumps.spoken(found))
        hosts.within(name, "systemd-cat", "--identifier=leak", "cat", "/var/log/leak.log")
    return found


def dump(site: Site, directory: pathlib.Path, secrets: list[bytes]) -> dict[str, bytes]:
    """What is in the archive of a run: no secret."""
    done = site.run("toolbox_dump", kops_dump_directory=str(directory))
    assert done.code == 0, done.output
    return dumps.taken(directory, done.output, done.seconds, secrets)


def missing(files: dict[str, bytes]) -> dict[str, str]:
    return {each["what"]: each["why"] for each in dumps.index_of(files)["missing"]}


def test_all_hosts_run(site: Site, secrets: list[bytes], tmp_path: pathlib.Path) -> None:
    planned = site.run("toolbox_dump", "--check", kops_dump_directory=str(tmp_path))
    assert planned.code == 0, planned.output
    assert planned.output.count("journals, logs, network and limits, over its connection") == 2
    assert list(tmp_path.iterdir()) == []
    files = dump(site, tmp_path, secrets)
    for name in site.nodes:
        assert {
            f"nodes/{name}/{file}" for file in ("kubelet.log", "containerd.log", "sysctls", "etc/hosts")
        } <= files.keys()
        assert b"(hidden)" in files[f"nodes/{name}/var/log/leak.log"]
        assert b"(hidden)" in files[f"nodes/{name}/journal.log"]
        # Nothing is left on hosts.
        assert hosts.within(name, "sh", "-c", "ls -d /var/lib/kops-dump /run/kops-dump 2>/dev/null || true") == ""
    assert "cluster/namespaces/kube-system/pods.json" in files
    assert "cluster" not in missing(files)


def test_a_dead_host_is_named_and_holds_up_nothing(site: Site, secrets: list[bytes], tmp_path: pathlib.Path) -> None:
    hosts.kill(WORKER)
    files = dump(site, tmp_path, secrets)
    assert f"nodes/{CONTROL_PLANE}/kubelet.log" in files
    assert missing(files)[f"nodes/{WORKER}"]


def test_no_api_server_runs(site: Site, secrets: list[bytes], tmp_path: pathlib.Path) -> None:
    hosts.within(CONTROL_PLANE, "mv", MANIFEST, ASIDE)
    files = dump(site, tmp_path, secrets)
    assert "cluster" in missing(files)
    assert b"kube-apiserver" in files[f"nodes/{CONTROL_PLANE}/kubelet.log"]
    assert any(name.startswith(f"nodes/{CONTROL_PLANE}/var/log/pods/kube-system_") for name in files)
