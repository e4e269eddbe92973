# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every object of every golden case's addons, sent to a real API server: none has an unknown field or an invalid value.

The API server only says what it would do. Definitions of kinds are loaded as far as Go modules have them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.api import paths
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import METAL
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import (
    AddonSpec,
    AuthenticationSpec,
    KopeioAuthenticationSpec,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.well_known_addons import WELL_KNOWN
from ansible_collections.kubeops.kops.plugins.module_utils.base import labels
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.object_names import title
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient, KubernetesError
from ansible_collections.kubeops.kops.tests.lab.definitions import definitions
from ansible_collections.kubeops.kops.tests.lab.workloads import eventually
from ansible_collections.kubeops.kops.tests.support.kubernetes import SERVICES, ControlPlane, control_plane

from tests.golden import addons

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("kubernetes")]
_APPLY = "application/apply-patch+yaml"
SERVICES_IPV6 = "fd00:5e4f:ce::/108"
# Kinds whose definitions no Go module has.
UNDEFINED = {
    ("elbv2.k8s.aws/v1beta1", "IngressClassParams"),
    ("iamauthenticator.k8s.aws/v1alpha1", "IAMIdentityMapping"),
    ("karpenter.k8s.aws/v1", "EC2NodeClass"),
    ("karpenter.sh/v1", "NodePool"),
}
OTHER_OPTIONS = {
    "spec.certManager.defaultIssuer": "letsencrypt",
    "spec.certManager.enabled": "true",
    "spec.certManager.nameservers": "1.1.1.1,8.8.8.8",
    "spec.clusterAutoscaler.enabled": "true",
    "spec.clusterAutoscaler.createPriorityExpanderConfig": "true",
    "spec.clusterAutoscaler.expander": "priority",
    "spec.clusterAutoscaler.image": "registry.example.com/cluster-autoscaler:v1",
    "spec.containerd.nvidiaGPU.dcgmExporter.enabled": "true",
    "spec.containerd.nvidiaGPU.enabled": "true",
    "spec.containerd.selinuxEnabled": "true",
    "spec.externalDNS.provider": "external-dns",
    "spec.externalDNS.watchNamespace": "kube-system",
    "spec.kubeDNS.cpaImage": "registry.example.com/cpa:v1",
    "spec.kubeDNS.provider": "KubeDNS",
    "spec.kubeDNS.upstreamNameservers": "1.1.1.1,8.8.8.8",
    "spec.metricsServer.enabled": "true",
    "spec.metricsServer.image": "registry.example.com/metrics-server:v1",
    "spec.nodeProblemDetector.cpuLimit": "50m",
    "spec.nodeProblemDetector.cpuRequest": "20m",
    "spec.nodeProblemDetector.enabled": "true",
    "spec.nodeProblemDetector.image": "registry.example.com/node-problem-detector:v1",
    "spec.nodeProblemDetector.memoryLimit": "100Mi",
    "spec.nodeProblemDetector.memoryRequest": "100Mi",
    "spec.snapshotController.enabled": "true",
    "spec.snapshotController.installDefaultClass": "true",
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    # As clusters of the cases: some have IPv6 only.
    options = ["--allow-privileged", f"--service-cluster-ip-range={SERVICES},{SERVICES_IPV6}"]
    with control_plane(tmp_path_factory.mktemp("control-plane"), *options) as started:
        yield started


@pytest.fixture(name="objects")
def made_objects(golden: Path) -> list[dict[str, Any]]:
    """The different objects of all cases, and of a cluster with options that no case has."""
    cases = {case.name: case for case in addons.cases(golden)}
    minimal = cases["minimal-aws"]
    contexts = [*map(addons.context_of, cases.values()), with_other_options(minimal), on_bare_metal(minimal)]
    made = (obj for context in contexts for addon in addons.made_for(context) for obj in addon.objects)
    found = [*made, *pools_in_documentation()]
    return list({json.dumps(obj, sort_keys=True): obj for obj in found}.values())


def with_other_options(case: addons.Case) -> AddonContext:
    """A case's cluster, with addons and options of addons that no case shows."""
    context = addons.context_of(case)
    cluster = context.cluster
    for path, value in OTHER_OPTIONS.items():
        paths.set_path(cluster, path, value)
    cluster.spec.authentication = AuthenticationSpec(kopeio=KopeioAuthenticationSpec())
    return context


def on_bare_metal(case: addons.Case) -> AddonContext:
    """A case's cluster on bare metal, with the addons that are ours."""
    context = addons.context_of(case)
    context.cluster.metadata.labels[labels.CLOUD] = METAL.name
    context.cluster.spec.addons = [AddonSpec(manifest=name) for name in WELL_KNOWN]
    return context


def pools_in_documentation() -> list[dict[str, Any]]:
    """Objects of MetalLB's kinds that users are told to write."""
    text = (Path(__file__).parents[2] / "docs/bare-metal.md").read_text()
    blocks = [each.partition("```")[0] for each in text.split("```yaml\n")[1:]]
    found = [obj for block in blocks if "metallb.io/" in block for obj in yaml.safe_load_all(block) if obj]
    assert [obj["kind"] for obj in found] == ["IPAddressPool", "L2Advertisement"]
    return found


def refusal(client: KubernetesClient, obj: dict[str, Any]) -> str:
    """Why the API server does not accept an object; "" if it does."""
    # The client's own apply() lets the API server ignore fields that it does not know.
    path = f"{client.path_of(obj)}?dryRun=All&fieldManager=test&force=true&fieldValidation=Strict"
    metadata = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    try:
        client.patch(path, {**obj, "metadata": metadata}, _APPLY)
    except KubernetesError as error:
        return f"{title(obj)}: {error}"
    return ""


def test_the_api_server_accepts_every_object(running: ControlPlane, objects: list[dict[str, Any]]) -> None:
    client = running.client()
    for definition in definitions():
        client.apply(definition)
    namespaces = {obj["metadata"]["namespace"] for obj in objects if "namespace" in obj["metadata"]}
    assert namespaces >= {"metallb-system", "local-path-storage"}
    for name in namespaces:
        client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    kinds = {(obj["apiVersion"], obj["kind"]) for obj in objects}
    known = [obj for obj in objects if (obj["apiVersion"], obj["kind"]) not in UNDEFINED]
    assert len(known) > 250
    for api_version, kind in sorted(kinds - UNDEFINED):
        group = api_version.rpartition("/")[0]
        # The API server serves a kind shortly after its definition was made.
        eventually(functools.partial(client.kind_in_group, group, kind))
        client.kind(api_version, kind)
    with ThreadPoolExecutor(4) as pool:
        refused = sorted(filter(None, pool.map(lambda obj: refusal(client, obj), known)))
    assert refused == []
