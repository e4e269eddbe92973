# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that have an IAM role of their service account."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.conditions import always
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.definition import AddonDefinition, ServiceAccountRole
from ansible_collections.kubeops.kops.plugins.module_utils.api import paths
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.iam.account import Account

ARN = "arn:aws-test:iam::123456789012:role/controller.kube-system.sa.demo.example.com"


def pod(cluster: Cluster, account: str = "controller", **more: Any) -> dict[str, Any]:
    """The specification of the only pod of an addon whose service account controller may have a role."""
    containers = [{"name": "one", "image": "example.com/one"}, {"name": "two", "image": "example.com/two", "env": []}]
    template = {"metadata": {"labels": {}}, "spec": {"serviceAccountName": account, "containers": containers, **more}}
    metadata = {"name": "controller", "namespace": "kube-system"}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"template": template}}
    role = ServiceAccountRole("controller", lambda context, policy: None)
    definition = AddonDefinition("example", always, build=lambda context: [deployment], service_accounts=(role,))
    context = AddonContext(cluster, [], account=Account("123456789012", "aws-test"))
    addon = make_addon(definition, context)
    assert addon is not None
    found: dict[str, Any] = addon.objects[0]["spec"]["template"]["spec"]
    return found


@pytest.fixture
def with_roles(cluster: Cluster) -> Cluster:
    cluster.metadata.labels.clear()
    paths.set_path(cluster, "spec.cloudProvider.aws.binariesLocation", "https://example.com")
    paths.set_path(cluster, "spec.iam.useServiceAccountExternalPermissions", "true")
    return cluster


def test_every_container_gets_the_token_of_the_service_account(with_roles: Cluster) -> None:
    """As in kops' case many-addons-ccm-irsa, for instance in its cloud controller manager."""
    found = pod(with_roles)
    for container in found["containers"]:
        assert container["resources"] == {}, "as Kubernetes' own type of a pod is written by kops"
        assert container["env"] == [
            {"name": "AWS_ROLE_ARN", "value": ARN},
            {"name": "AWS_WEB_IDENTITY_TOKEN_FILE", "value": "/var/run/secrets/amazonaws.com/token"},
        ]
        assert container["volumeMounts"] == [
            {"mountPath": "/var/run/secrets/amazonaws.com/", "name": "token-amazonaws-com", "readOnly": True}
        ]
    token = {"audience": "amazonaws.com", "expirationSeconds": 86400, "path": "token"}
    assert found["volumes"] == [
        {
            "name": "token-amazonaws-com",
            "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": token}]},
        }
    ]
    assert found["securityContext"] == {"fsGroup": 10001}


def test_a_group_that_the_pod_has_stays(with_roles: Cluster) -> None:
    assert pod(with_roles, securityContext={"fsGroup": 65534})["securityContext"] == {"fsGroup": 65534}


def test_other_pods_have_no_role(with_roles: Cluster) -> None:
    assert "volumes" not in pod(with_roles, account="other")


def test_without_roles_pods_use_those_of_their_nodes(with_roles: Cluster) -> None:
    paths.set_path(with_roles, "spec.iam.useServiceAccountExternalPermissions", "false")
    assert "volumes" not in pod(with_roles)
