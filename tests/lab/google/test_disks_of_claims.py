# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims get persistent disks by Google's own driver; what a pod wrote is there for the next one, on another node.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.test_cilium import (  # noqa: F401  # pylint: disable=unused-import
    cluster,
)
from ansible_collections.kubeops.kops.tests.lab.google import account
from ansible_collections.kubeops.kops.tests.lab.google.sites import GoogleSite
from ansible_collections.kubeops.kops.tests.support import software_tpm

pytestmark = [pytest.mark.long, software_tpm.needed]
ADDONS = ("csi-attacher", "csi-node-driver-registrar", "csi-provisioner", "csi-resizer", "gce-pd-csi-driver")


@pytest.fixture(scope="module")
def site(new_site: Callable[..., GoogleSite]) -> GoogleSite:
    """With the driver, and two workers."""
    spec = {"cloudConfig": {"gcpPDCSIDriver": {"enabled": True}}}
    return new_site({"networking": "kubenet", "node_count": 2}, spec)


def claimed() -> list[dict[str, Any]]:
    """The disks of claims."""
    return [each for each in account.all_of("disks") if each["name"].startswith("pvc-")]


def make(cluster: GoogleSite, *objects: dict[str, Any]) -> None:  # noqa: F811
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    cluster.kubectl("apply", "--filename=-", stdin=text)


def claim(name: str) -> dict[str, Any]:
    """Of the default class."""
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


def pod(name: str, node: str) -> dict[str, Any]:
    """One that serves, and has a directory on the claim "data"."""
    container = {
        "name": "web",
        "image": f"registry.k8s.io/e2e-test-images/agnhost:{binaries.VERSIONS['agnhost']}",
        "args": ["netexec", "--http-port=8080"],
        "volumeMounts": [{"name": "data", "mountPath": "/uploads"}],
    }
    spec = {
        "nodeSelector": {"kubernetes.io/hostname": node},
        "terminationGracePeriodSeconds": 1,
        "containers": [container],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def files(cluster: GoogleSite, name: str) -> str:  # noqa: F811
    """Where the node has a pod's files of the claim."""
    uid = cluster.kubectl("get", "pod", name, "--output=jsonpath={.metadata.uid}")
    volume = cluster.kubectl("get", "persistentvolumeclaim", "data", "--output=jsonpath={.spec.volumeName}")
    return f"/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~csi/{volume}/mount"


def run_on(cluster: GoogleSite, name: str, node: str) -> None:  # noqa: F811
    """Run a pod on a node until it serves."""
    make(cluster, pod(name, node))
    cluster.kubectl("wait", "--for=condition=Ready", f"pod/{name}", "--timeout=180s")


def test_a_claim_gets_a_disk_of_the_cluster_at_the_node_of_its_pod(cluster: GoogleSite) -> None:  # noqa: F811
    first, _second = cluster.workers()
    make(cluster, claim("data"))
    run_on(cluster, "writer", first)
    (disk,) = claimed()
    assert disk["labels"]["k8s-io-cluster-name"] == clusters.NAME.replace(".", "-")
    assert (disk["sizeGb"], disk["type"].rpartition("/")[2]) == ("1", "pd-balanced")
    assert [each.rpartition("/")[2] for each in disk["users"]] == [first]
    machines.within(first, "sh", "-c", f"echo kept > {files(cluster, 'writer')}/it")


def test_another_node_has_what_was_written(cluster: GoogleSite) -> None:  # noqa: F811
    _first, second = cluster.workers()
    cluster.kubectl("delete", "pod", "writer", "--timeout=60s")
    run_on(cluster, "reader", second)
    assert [each.rpartition("/")[2] for each in claimed()[0]["users"]] == [second]
    assert machines.within(second, "cat", f"{files(cluster, 'reader')}/it").strip() == "kept"


def test_a_disk_goes_with_its_claim(cluster: GoogleSite) -> None:  # noqa: F811
    cluster.kubectl("delete", "pod/reader", "persistentvolumeclaim/data", "--timeout=120s")
    cluster.wait(lambda: claimed() == [], 120)


def test_the_disks_of_claims_outlive_their_cluster_on_request(cluster: GoogleSite) -> None:  # noqa: F811
    make(cluster, claim("data"))
    run_on(cluster, "left", cluster.workers()[0])
    (disk,) = claimed()
    check = cluster.run("delete_cluster", "--check", "--diff")
    assert check.code == 0, check.output
    assert f"{disk['name']}  (of claim default/data)" in check.output
    deleted = cluster.run("delete_cluster", kops_keep_claims=True)
    assert deleted.code == 0, deleted.output
    assert "keeps the volumes of these claims: default/data" in deleted.output
    assert [each["name"] for each in account.all_of("disks")] == [disk["name"]]
    place = {"kops_cloud": "gce", "kops_region": account.REGION, "kops_project": account.PROJECT}
    rest = cluster.run("delete_cluster", kops_external=True, **place)
    assert rest.code == 0, rest.output
    assert account.all_of("disks") == []
