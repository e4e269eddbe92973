# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kindnet, a network of pods (networking.kindnet of kops)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...api.networking import KindnetNetworkingSpec
from ...iam.policy import Policy
from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import service_account
from ..objects.pods import field_variable, host_path, mount, requests, toleration
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.workloads import daemon_set
from ..upstream import files_in_repository
from .selector import NETWORKING

_NAME, _NAMESPACE = "kindnet", "kube-system"
_APP = {"app": _NAME}
_LABELS = {"tier": "node", "k8s-app": _NAME, **_APP}
_POLICIES = "policy.networking.k8s.io"
# The last release of network-policy-api with the kinds that kops installs; it calls their version v0.1.1, as kops does.
_POLICIES_VERSION = "v0.1.5"
_CREATED = "DirectoryOrCreate"
_INSTALL = "cat /opt/cni/bin/cni-kindnet > /cni/cni-kindnet ; chmod +x /cni/cni-kindnet"


def _switch_off_source_checks(context: AddonContext, policy: Policy, role: str) -> None:
    """Instances accept packets of pods: AWS checks sources and destinations unless it is told otherwise."""
    policy.on_owned.add("ec2:ModifyInstanceAttribute")


def _build(context: AddonContext) -> list[dict[str, Any]]:
    kindnet = _settings(context)
    return [
        cluster_role(_NAME, None, _rules(kindnet)),
        cluster_role_binding(_NAME, _NAME, account_subject(_NAME, _NAMESPACE)),
        service_account(_NAME, _NAMESPACE),
        daemon_set(_NAME, _NAMESPACE, _pod(kindnet), selector=_APP, labels=_LABELS, pod_labels=_LABELS),
    ]


def _settings(context: AddonContext) -> KindnetNetworkingSpec:
    return context.cluster.spec.networking.kindnet or KindnetNetworkingSpec()


def _policies(kindnet: KindnetNetworkingSpec) -> list[str]:
    """Kinds of policies beside NetworkPolicy. As in kops, they are there if the specification says true or false."""
    asked = {
        "adminnetworkpolicies": kindnet.admin_network_policies,
        "baselineadminnetworkpolicies": kindnet.baseline_admin_network_policies,
    }
    return [kind for kind, value in asked.items() if value is not None]


def _rules(kindnet: KindnetNetworkingSpec) -> list[dict[str, Any]]:
    policies = _policies(kindnet)
    return [
        rule("", "nodes", "list watch patch"),
        rule("", "nodes/proxy nodes/configz", "get"),
        rule("", "configmaps", "get"),
        rule("", "pods namespaces", "list watch"),
        rule("networking.k8s.io", "networkpolicies", "list watch"),
        *([rule(_POLICIES, policies, "list watch")] if policies else []),
    ]


def _pod(kindnet: KindnetNetworkingSpec) -> dict[str, Any]:
    image = f"registry.k8s.io/networking/kindnet:{kindnet.version}"
    return {
        "hostNetwork": True,
        "tolerations": [toleration(effect="NoSchedule")],
        "serviceAccountName": _NAME,
        "initContainers": [
            {
                "name": "install-cni-bin",
                "image": image,
                "command": ["sh", "-c", _INSTALL],
                "volumeMounts": [mount("cni-bin", "/cni")],
            }
        ],
        "containers": [
            {
                "name": "kindnet-cni",
                "image": image,
                "command": _command(kindnet),
                "env": [
                    field_variable("HOST_IP", "status.hostIP"),
                    field_variable("POD_IP", "status.podIP"),
                    field_variable("NODE_NAME", "spec.nodeName"),
                ],
                "volumeMounts": [
                    mount("cni-cfg", "/etc/cni/net.d"),
                    mount("var-lib-kindnet", "/var/lib/cni-kindnet"),
                    mount("nri-plugin", "/var/run/nri"),
                ],
                "resources": requests(cpu="100m", memory="50Mi"),
                "securityContext": {"privileged": True},
            }
        ],
        "volumes": [
            host_path("cni-bin", "/opt/cni/bin", _CREATED),
            host_path("cni-cfg", "/etc/cni/net.d", _CREATED),
            host_path("var-lib-kindnet", "/var/lib/cni-kindnet", _CREATED),
            host_path("nri-plugin", "/var/run/nri"),
        ],
    }


def _command(kindnet: KindnetNetworkingSpec) -> list[str]:
    masquerade = kindnet.masquerade
    options: list[tuple[str, object]] = [
        ("hostname-override", "$(NODE_NAME)"),
        ("v", kindnet.log_level),
        ("network-policy", kindnet.network_policies),
        ("admin-network-policy", kindnet.admin_network_policies),
        # The same option, as in kops.
        ("admin-network-policy", kindnet.baseline_admin_network_policies),
        ("dns-caching", bool(kindnet.dns_caching)),
        ("nat64", bool(kindnet.nat64)),
        ("fastpath-threshold", kindnet.fast_path_threshold),
    ]
    if masquerade is not None:
        options.append(("masquerading", masquerade.enabled is not False))
        options.append(("no-masquerade-cidr", ",".join(masquerade.non_masquerade_cidrs) or None))
    return ["/bin/kindnetd", *(f"--{name}={_text(value)}" for name, value in options if value is not None)]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _upstream(context: AddonContext) -> Sequence[str]:
    files = [f"{_POLICIES}_{kind}.yaml" for kind in _policies(_settings(context))]
    return files_in_repository(
        "kubernetes-sigs/network-policy-api", _POLICIES_VERSION, "config/crd/experimental", files
    )


ADDON = AddonDefinition(
    name="networking.kindnet",
    condition=network("kindnet"),
    build=_build,
    upstream=_upstream,
    id="k8s-1.32",
    selector=NETWORKING,
    needs_rolling_update="all",
    instance_permissions=_switch_off_source_checks,
)
