# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM: policies built from what the specification needs."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Deferred

CONTROL_PLANE = "IAMRolePolicy/masters.demo.example.com"
NODES = "IAMRolePolicy/nodes.demo.example.com"
IRSA = {
    "iam": {"legacy": False, "useServiceAccountExternalPermissions": True},
    "serviceAccountIssuerDiscovery": {"discoveryStore": "s3://issuers/demo", "enableAWSOIDCProvider": True},
    "kubeAPIServer.serviceAccountIssuer": "https://issuers.example.com",
}


def actions(document):
    found = set()
    for statement in json.loads(str(document))["Statement"] if str(document) else ():
        action = statement["Action"]
        found |= {action} if isinstance(action, str) else set(action)
    return found


GPUS = {"containerd": {"skipInstall": True, "nvidiaGPU": {"enabled": True}}}


def test_control_plane_reads_the_store_and_writes_backups(model):
    statements = json.loads(model()[CONTROL_PLANE].policy_document)["Statement"]
    by_resource = {str(statement["Resource"]): statement["Action"] for statement in statements}
    assert by_resource["arn:aws:s3:::store/demo.example.com/*"] == ["s3:Get*"]
    assert "s3:PutObject" in by_resource["arn:aws:s3:::store/demo.example.com/backups/etcd/main/*"]
    assert "s3:ListBucket" in by_resource["['arn:aws:s3:::store']"]


def test_nodes_read_no_store(model):
    assert not any(action.startswith("s3:") for action in actions(model()[NODES].policy_document))


def test_a_store_that_aws_does_not_serve_is_refused(model):
    with pytest.raises(KopsError, match="gs://store"):
        model({"configStore.base": "gs://store/demo"})


@pytest.mark.parametrize(
    ("fields", "action", "roles"),
    [
        ({"networking.amazonVPC": {}}, "ec2:AttachNetworkInterface", {"masters", "nodes"}),
        ({"networking.cilium": {"ipam": "eni"}}, "ec2:CreateNetworkInterface", {"masters"}),
        ({"networking.calico": {}}, "ec2:ModifyNetworkInterfaceAttribute", {"masters", "nodes"}),
        ({"networking.calico": {"awsSrcDstCheck": "DoNothing"}}, "ec2:ModifyNetworkInterfaceAttribute", set()),
        ({"networking.kubenet": {}}, "ec2:CreateRoute", {"masters"}),
        ({"iam": {"allowContainerRegistry": True}}, "ecr:BatchGetImage", {"masters", "nodes"}),
        (
            {"containerd": {"skipInstall": True, "nvidiaGPU": {"enabled": True}}},
            "ec2:DescribeInstanceTypes",
            {"masters", "nodes"},
        ),
        ({"cloudProvider.aws.nodeTerminationHandler": {"enabled": True}}, "sqs:ReceiveMessage", {"masters"}),
        ({"snapshotController": {"enabled": True}}, "ec2:CreateSnapshot", {"masters"}),
        (
            {"cloudProvider.aws.loadBalancerController": {"enabled": True, "enableWAF": True}},
            "waf-regional:GetWebACL",
            {"masters"},
        ),
    ],
)
def test_permissions_follow_the_specification(model, fields, action, roles):
    tasks = model({"networking.cni": None, **fields} if any("networking" in path for path in fields) else fields)
    having = {
        role
        for role in ("masters", "nodes")
        if action in actions(tasks[f"IAMRolePolicy/{role}.demo.example.com"].policy_document)
    }
    assert having == roles


def test_statements_of_the_control_plane_have_kops_order(model):
    """Records, volumes, the cloud controller, load balancers: else each policy that kops wrote would be rewritten."""
    tasks = model({"cloudProvider.aws.loadBalancerController": {"enabled": True, "enableWAF": True}})
    statements = json.loads(str(tasks[CONTROL_PLANE].policy_document))["Statement"]
    created = [
        statement["Condition"]["StringEquals"]["ec2:CreateAction"]
        for statement in statements
        if "ec2:CreateAction" in str(statement)
    ]
    assert created == [["CopyVolumes", "CreateVolume"], ["CreateSecurityGroup"], ["CreateSecurityGroup"]]


def test_encryption_of_secrets_calls_kms_directly(model):
    statements = json.loads(model({"encryptionConfig": True})[CONTROL_PLANE].policy_document)["Statement"]
    assert any("kms:Encrypt" in statement["Action"] and "Condition" not in statement for statement in statements)
    statements = json.loads(model()[CONTROL_PLANE].policy_document)["Statement"]
    assert all("Condition" in statement for statement in statements if "kms:Encrypt" in statement["Action"])


def test_a_zone_yet_to_be_made_is_waited_for(model):
    tasks = model({"dnsZone": "example.org"})
    document, zone = tasks[CONTROL_PLANE].policy_document, tasks["DNSZone/example.org"]
    assert isinstance(document, Deferred)
    assert zone in list(tasks[CONTROL_PLANE].dependencies())
    zone.zone_id = "/hostedzone/Z7"
    assert "arn:aws:route53:::hostedzone/Z7" in str(document)


def test_without_dns_no_records_are_changed(model):
    tasks = model({"networking.topology": {"dns": "None"}, "dnsZone": None})
    assert not any(action.startswith("route53:") for action in actions(tasks[CONTROL_PLANE].policy_document))


def test_pods_with_roles_take_their_permissions_from_the_control_plane(model):
    tasks = model({**IRSA, "clusterAutoscaler": {"enabled": True}})
    assert "autoscaling:SetDesiredCapacity" not in actions(tasks[CONTROL_PLANE].policy_document)
    role = tasks["IAMRole/cluster-autoscaler.kube-system.sa.demo.example.com"]
    (statement,) = json.loads(role.role_policy_document)["Statement"]
    assert statement["Principal"]["Federated"] == "arn:aws:iam::123456789012:oidc-provider/issuers.example.com"
    assert statement["Condition"]["StringEquals"] == {
        "issuers.example.com:sub": "system:serviceaccount:kube-system:cluster-autoscaler"
    }
    document = tasks["IAMRolePolicy/cluster-autoscaler.kube-system.sa.demo.example.com"].policy_document
    assert "autoscaling:SetDesiredCapacity" in actions(document)
    assert tasks["IAMOIDCProvider/demo.example.com"].url == "https://issuers.example.com"


@pytest.mark.parametrize(("provider", "account"), [(None, "dns-controller"), ("external-dns", "external-dns")])
def test_records_have_one_writer(model, provider, account):
    tasks = model({**IRSA, "externalDNS": {"provider": provider} if provider else None})
    roles = {task.name.partition(".")[0] for task in tasks.values() if task.kind == "IAMRole"}
    assert roles & {"dns-controller", "external-dns"} == {account}


def test_users_service_accounts(model):
    permission = {
        "name": "app",
        "namespace": "team-*",
        "aws": {
            "inlinePolicy": '[{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]',
            "policyARNs": ["arn:p"],
        },
    }
    tasks = model({**IRSA, "iam.serviceAccountExternalPermissions": [permission]})
    role = tasks["IAMRole/app.team-wildcard.sa.demo.example.com"]
    (statement,) = json.loads(role.role_policy_document)["Statement"]
    assert statement["Condition"]["StringLike"] == {"issuers.example.com:sub": "system:serviceaccount:team-*:app"}
    assert tasks[f"IAMRolePolicy/{role.name}"].policy_document
    assert tasks[f"IAMRolePolicy/external-{role.name}"].external_policies == ["arn:p"]


def test_a_service_account_is_named_in_full(model):
    permission = {"name": "app-*", "namespace": "team", "aws": {"policyARNs": ["arn:p"]}}
    with pytest.raises(KopsError, match="team/app-"):
        model({**IRSA, "iam.serviceAccountExternalPermissions": [permission]})


def test_policies_of_the_user_are_added_to_roles(model):
    extra = '[{"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"}]'
    tasks = model(
        {
            "additionalPolicies": {"node": extra},
            "externalPolicies": {"control-plane": ["arn:b", "arn:a"]},
            "iam": {"permissionsBoundary": "arn:boundary"},
        }
    )
    assert actions(tasks["IAMRolePolicy/additional.nodes.demo.example.com"].policy_document) == {"s3:ListAllMyBuckets"}
    assert tasks["IAMRolePolicy/additional.masters.demo.example.com"].policy_document == ""
    assert tasks["IAMRolePolicy/master-policyoverride"].external_policies == ["arn:a", "arn:b"]
    assert tasks["IAMRolePolicy/node-policyoverride"].external_policies == []
    assert tasks["IAMRole/nodes.demo.example.com"].permissions_boundary == "arn:boundary"


def test_karpenter_passes_the_nodes_role_or_any_when_groups_bring_profiles(model):
    karpenter = {**IRSA, "karpenter": {"enabled": True}}
    name = "IAMRolePolicy/karpenter.kube-system.sa.demo.example.com"

    def passed(groups):
        statements = json.loads(model(karpenter, groups)[name].policy_document)["Statement"]
        return next(statement["Resource"] for statement in statements if statement["Action"] == "iam:PassRole")

    fast = {"role": "Node", "manager": "Karpenter"}
    assert passed({"fast": fast}) == "arn:aws:iam::*:role/nodes.demo.example.com"
    assert (
        passed({"fast": {**fast, "iam": {"profile": "arn:aws:iam::1:instance-profile/x"}}}) == "arn:aws:iam::*:role/*"
    )


def test_cert_manager_answers_challenges_in_its_zones(model):
    tasks = model({"certManager": {"enabled": True, "hostedZoneIDs": ["Z5"]}})
    document = tasks["IAMRolePolicy/cert-manager.kube-system.sa.demo.example.com"].policy_document
    assert "arn:aws:route53:::hostedzone/Z5" in document
    assert not [task for task in model({"certManager": {"enabled": True}}).values() if "cert-manager" in task.name]
