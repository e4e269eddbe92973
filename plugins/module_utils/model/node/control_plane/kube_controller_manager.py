# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-controller-manager as a static pod (kube_controller_manager.go of nodeup)."""

from __future__ import annotations

from typing import Any

from ....api.flags import options
from ....api.kube_controller_manager import KubeControllerManagerConfig
from ....exchange.distributions import Family
from ....statestore.keyset import KUBERNETES_CA
from ....statestore.pki import Subject
from ..certificates import Certificate
from ..context import CA_FILE, LOOPBACK, SRV, NodeContext
from ..draft import Draft
from ..families import families_by
from ..pods import elected_pod, proxy_environment

PORT = 10257
LOG = "/var/log/kube-controller-manager.log"
_NAME = "kube-controller-manager"
_DIRECTORY = f"{SRV}/{_NAME}"
_KUBECONFIG = f"/var/lib/{_NAME}/kubeconfig"
_SERVICE_ACCOUNT_KEY = f"{_DIRECTORY}/service-account.key"


def build(context: NodeContext, draft: Draft) -> None:
    """The pod, its kubeconfig, and the keys with which it signs: the authority's and that of service accounts."""
    manager = context.kube_controller_manager()
    draft.directory(_DIRECTORY)
    manager.enable_profiling = bool(manager.enable_profiling)
    draft.stored_file(f"{_DIRECTORY}/ca.crt", f"signer/{KUBERNETES_CA}")
    draft.stored_file(f"{_DIRECTORY}/ca.key", f"key/{KUBERNETES_CA}")
    draft.stored_file(_SERVICE_ACCOUNT_KEY, "key/service-account")
    manager.root_ca_file = CA_FILE
    manager.service_account_private_key_file = _SERVICE_ACCOUNT_KEY
    if manager.tls_cert_file is None:
        draft.certificate(serving_certificate(context, _NAME, _DIRECTORY))
        manager.tls_cert_file, manager.tls_private_key_file = f"{_DIRECTORY}/server.crt", f"{_DIRECTORY}/server.key"
    draft.certificate(client_certificate(context, _NAME, _KUBECONFIG))
    draft.log_file(LOG)
    for family, when in families_by("authorities", "volume_plugins"):
        draft.static_pod(_pod(context, manager, family), when=when, last=True)


def serving_certificate(context: NodeContext, name: str, directory: str) -> Certificate:
    """The certificate with which a component of the control plane serves its metrics."""
    domain = context.cluster.spec.cluster_dns_domain or "cluster.local"
    return Certificate(
        f"{name}-server",
        Subject(name),
        type="server",
        alternate_names=(f"{name}.kube-system.svc.{domain}",),
        directory=directory,
        file_name="server",
    )


def bind_address(context: NodeContext) -> list[str]:
    """The option that keeps a component's own port on the host. In clouds kops leaves it open to those with a token."""
    return [f"--bind-address={LOOPBACK}"] if context.on_metal else []


def client_certificate(context: NodeContext, name: str, kubeconfig: str) -> Certificate:
    """The kubeconfig of a component of the control plane."""
    return Certificate(name, Subject(f"system:{name}"), kubeconfig=kubeconfig, server=context.api_url, key_mode="0400")


def _pod(context: NodeContext, manager: KubeControllerManagerConfig, family: Family) -> dict[str, Any]:
    plugins = context.kubelet().volume_plugin_directory or family.volume_plugins
    flags = options(manager)
    flags += [f"--{kind}kubeconfig={_KUBECONFIG}" for kind in ("", "authentication-", "authorization-")]
    flags += [f"--cluster-signing-cert-file={_DIRECTORY}/ca.crt", f"--cluster-signing-key-file={_DIRECTORY}/ca.key"]
    flags.append(f"--flex-volume-plugin-dir={plugins}")
    flags += bind_address(context)
    pod = elected_pod(_NAME, manager, flags, PORT, proxy_environment(context))
    pod.mount("logfile", LOG, writable=True)
    pod.mount_authorities(family.authorities)
    pod.mount("cabundle", CA_FILE)
    pod.mount("srvkcm", _DIRECTORY)
    pod.mount("varlibkcm", f"/var/lib/{_NAME}")
    pod.mount("volplugins", plugins, writable=True)
    return pod.manifest(context)
