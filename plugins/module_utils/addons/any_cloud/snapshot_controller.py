# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller of volume snapshots, and the webhook that checks them (snapshot-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ..conditions import always, enabled
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.certificates import certificate
from ..objects.core import kubernetes_object, service_account
from ..objects.pods import mount, secret_volume, spread
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule
from ..objects.services import port, service, webhook, webhook_configuration, webhook_rule
from ..objects.workloads import deployment
from ..upstream import files_in_repository

NAME, NAMESPACE = "snapshot-controller.addons.k8s.io", "kube-system"
_VERSION = "v6.0.1"
_CONTROLLER, _LEADER_ELECTION = "snapshot-controller", "snapshot-controller-leaderelection"
_WEBHOOK, _WEBHOOK_SERVICE = "snapshot-validation", "snapshot-validation-service"
_WEBHOOK_NAME = "validation-webhook.snapshot.storage.k8s.io"
_CERTIFICATE, _CERTIFICATES = "snapshot-validation-secret", "/etc/snapshot-validation-webhook/certs"
_API = "snapshot.storage.k8s.io"
_KINDS = ("volumesnapshotclasses", "volumesnapshotcontents", "volumesnapshots")
_RULES = (
    rule("", "persistentvolumes", "get list watch"),
    rule("", "persistentvolumeclaims", "get list watch update"),
    rule("", "events", "list watch create update patch"),
    rule(_API, "volumesnapshotclasses", "get list watch"),
    rule(_API, "volumesnapshotcontents", "create get list watch delete patch"),
    rule(_API, "volumesnapshotcontents/status", "patch"),
    rule(_API, "volumesnapshots", "get list watch update patch"),
    rule(_API, "volumesnapshots/status", "update patch"),
)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    spec = context.cluster.spec.snapshot_controller
    leases = rule("coordination.k8s.io", "leases", "get watch list delete update create")
    objects = [
        service_account(_CONTROLLER, NAMESPACE),
        role(_LEADER_ELECTION, NAMESPACE, None, [leases]),
        cluster_role("snapshot-controller-runner", None, _RULES),
        # kops names no namespace of the subject here.
        role_binding(_LEADER_ELECTION, NAMESPACE, _LEADER_ELECTION, {"kind": "ServiceAccount", "name": _CONTROLLER}),
        cluster_role_binding(
            "snapshot-controller-role", "snapshot-controller-runner", account_subject(_CONTROLLER, NAMESPACE)
        ),
        _controller(),
        _webhook(),
        service(_WEBHOOK_SERVICE, NAMESPACE, [port(443, 443, protocol="TCP")], {"app": _WEBHOOK}),
        _webhook_configuration(),
        _certificate(str(context.cluster.metadata.name)),
    ]
    if spec is not None and spec.install_default_class:
        objects.append(_default_class())
    return objects


def _controller() -> dict[str, Any]:
    app = {"app": _CONTROLLER}
    container = {
        "name": _CONTROLLER,
        "image": f"registry.k8s.io/sig-storage/snapshot-controller:{_VERSION}",
        "imagePullPolicy": "IfNotPresent",
        "args": ["--v=5", "--leader-election=true"],
    }
    pod = {
        "containers": [container],
        "serviceAccountName": _CONTROLLER,
        "topologySpreadConstraints": spread(app),
    }
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    return deployment(_CONTROLLER, NAMESPACE, pod, selector=app, replicas=2, strategy=strategy, minReadySeconds=15)


def _webhook() -> dict[str, Any]:
    app, volume = {"app": _WEBHOOK}, "snapshot-validation-webhook-certs"
    container = {
        "name": _WEBHOOK,
        "image": f"registry.k8s.io/sig-storage/snapshot-validation-webhook:{_VERSION}",
        "imagePullPolicy": "IfNotPresent",
        "args": [f"--tls-cert-file={_CERTIFICATES}/tls.crt", f"--tls-private-key-file={_CERTIFICATES}/tls.key"],
        "ports": [{"containerPort": 443}],
        "volumeMounts": [mount(volume, _CERTIFICATES, readOnly=True)],
    }
    pod = {
        "containers": [container],
        "serviceAccountName": _CONTROLLER,
        "topologySpreadConstraints": spread(app),
        "volumes": [secret_volume(volume, _CERTIFICATE)],
    }
    return deployment("snapshot-validation-deployment", NAMESPACE, pod, selector=app, labels=app, replicas=2)


def _webhook_configuration() -> dict[str, Any]:
    asked = webhook_rule(_API, "v1 v1beta1", "CREATE UPDATE", "volumesnapshots volumesnapshotcontents", scope="*")
    called = webhook(
        _WEBHOOK_NAME,
        (NAMESPACE, _WEBHOOK_SERVICE),
        "/volumesnapshot",
        [asked],
        admissionReviewVersions=["v1", "v1beta1"],
        failurePolicy="Ignore",
        timeoutSeconds=2,
    )
    authority = {"cert-manager.io/inject-ca-from": f"{NAMESPACE}/{_WEBHOOK_SERVICE}"}
    return webhook_configuration("Validating", _WEBHOOK_NAME, [called], annotations=authority)


def _certificate(cluster: str) -> dict[str, Any]:
    host = f"{_WEBHOOK_SERVICE}.{NAMESPACE}.svc"
    return certificate(_WEBHOOK_SERVICE, NAMESPACE, _CERTIFICATE, NAME, dnsNames=[host, f"{host}.{cluster}"])


def _default_class() -> dict[str, Any]:
    """The class of snapshots that name none: always that of EBS, as in kops."""
    return kubernetes_object(
        f"{_API}/v1",
        "VolumeSnapshotClass",
        "csi-hostpath-snapclass",
        annotations={"snapshot.storage.kubernetes.io/is-default-class": "true"},
        driver="ebs.csi.aws.com",
        deletionPolicy="Delete",
    )


def _definitions(context: AddonContext) -> list[str]:
    names = [f"{_API}_{kind}.yaml" for kind in _KINDS]
    return files_in_repository("kubernetes-csi/external-snapshotter", _VERSION, "client/config/crd", names)


ADDON = AddonDefinition(
    name=NAME,
    condition=enabled("snapshot_controller"),
    build=_build,
    upstream=_definitions,
    id="k8s-1.20",
    needs_pki=always,
)
