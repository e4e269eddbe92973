# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AWS load balancer controller where service accounts have no roles, which no case of kops has."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.addons.aws.load_balancer_controller.addon import (
    ADDON,
    WITH_OWN_ROLE,
)
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec, paths
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster

from .conftest import DATA, Make

CONTROLLER = "spec.cloudProvider.aws.loadBalancerController"
DEPLOYMENT = "Deployment aws-load-balancer-controller"


def test_without_a_role_of_its_own_it_runs_on_the_network_of_the_control_plane(make: Make) -> None:
    spec = make(ADDON)[DEPLOYMENT]["spec"]
    pod = spec["template"]["spec"]
    terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    roles = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"]
    assert [term["matchExpressions"][0]["key"] for term in terms] == roles
    assert [each["key"] for each in pod["tolerations"]] == roles
    assert pod["hostNetwork"] is True
    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 0}


def test_a_cluster_has_one_of_the_two_forms() -> None:
    for roles in ("true", "false"):
        cluster = codec.from_plain(Cluster, DATA)
        paths.set_path(cluster, f"{CONTROLLER}.enabled", "true")
        paths.set_path(cluster, "spec.iam.useServiceAccountExternalPermissions", roles)
        context = AddonContext(cluster, ())
        assert [form.condition(context) for form in (ADDON, WITH_OWN_ROLE)] == [roles == "false", roles == "true"]


def test_what_it_may_use_and_its_image_are_those_of_the_specification(make: Make) -> None:
    values = {f"{CONTROLLER}.version": "v3.4.0", f"{CONTROLLER}.enableWAFv2": True, f"{CONTROLLER}.cpuLimit": "1"}
    container = make(ADDON, values)[DEPLOYMENT]["spec"]["template"]["spec"]["containers"][0]
    assert container["image"] == "public.ecr.aws/eks/aws-load-balancer-controller:v3.4.0"
    assert {"--enable-waf=false", "--enable-wafv2=true", "--enable-shield=false"} <= set(container["args"])
    assert container["resources"]["limits"]["cpu"] == "1", "a text, as in kops"
