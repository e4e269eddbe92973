# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of the driver of EBS volumes share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....api.components import EBSCSIDriverSpec
from ....api.questions import is_ipv6_only
from ...context import AddonContext
from ...objects.pods import field_variable, requests, variables

DRIVER = "ebs.csi.aws.com"
NAMESPACE = "kube-system"
CONTROLLER, NODE = "ebs-csi-controller", "ebs-csi-node"
CONTROLLER_ACCOUNT, NODE_ACCOUNT = f"{CONTROLLER}-sa", f"{NODE}-sa"
APP = {"app.kubernetes.io/name": "aws-ebs-csi-driver", "app.kubernetes.io/instance": "aws-ebs-csi-driver"}
# For machines with SELinux, kops' feature flag of that name.
SELINUX_MOUNT = "SELinuxMount"
SEALED = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True}
_SIDECARS = "registry.k8s.io/sig-storage"
_LIVENESS_PROBE = "livenessprobe:v2.18.0"


def settings(context: AddonContext) -> EBSCSIDriverSpec:
    """The driver's settings."""
    aws = context.cluster.spec.cloud_provider.aws
    return (aws and aws.ebs_csi_driver) or EBSCSIDriverSpec()


def labels(context: AddonContext) -> dict[str, str]:
    """The labels of the driver's objects."""
    version = settings(context).version or ""
    return {**APP, "app.kubernetes.io/version": version, "app.kubernetes.io/component": "csi-driver"}


def container(name: str, image: str, args: Sequence[str], **more: Any) -> dict[str, Any]:
    """A container of one of the driver's pods. more: other fields, also instead of those that all have."""
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "args": list(args),
        "resources": requests(limits={"memory": "256Mi"}, cpu="10m", memory="40Mi"),
        "securityContext": dict(SEALED),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        **more,
    }


def sidecar(name: str, image: str, args: Sequence[str], **more: Any) -> dict[str, Any]:
    """A container with one of Kubernetes' own programs beside a driver of volumes."""
    return container(name, f"{_SIDECARS}/{image}", args, **more)


def driver(context: AddonContext, args: Sequence[str], endpoint: str, **more: Any) -> dict[str, Any]:
    """The container with the driver itself. endpoint: where it answers. more: its env comes after that of all."""
    only_ipv6 = {"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"} if is_ipv6_only(context.cluster) else {}
    environment = [
        *variables({**only_ipv6, "AWS_REGION": context.region, "CSI_ENDPOINT": endpoint}),
        field_variable("CSI_NODE_NAME", "spec.nodeName"),
        *more.pop("env", ()),
    ]
    image = f"registry.k8s.io/provider-aws/aws-ebs-csi-driver:{settings(context).version}"
    return container("ebs-plugin", image, args, env=environment, **more)


def liveness_probe(*args: str, **more: Any) -> dict[str, Any]:
    """The container that answers for the driver whether it is healthy."""
    return sidecar("liveness-probe", _LIVENESS_PROBE, ["--csi-address=/csi/csi.sock", *args], **more)
