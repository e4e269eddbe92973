# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kubelet on a node: unit, options, certificates (kubelet.go of nodeup)."""

from __future__ import annotations

from ....api.flags import option_text
from ....api.kubelet import KubeletConfigSpec
from ....api.questions import has_one_address_on_aws
from ....api.scalars import Duration
from ....exchange.distributions import Family
from ....exchange.document import MAX_PODS
from ....statestore.pki import Subject
from ... import ports
from ..certificates import Certificate
from ..context import BINARIES, INTERNAL_IP, NODE_NAME, SRV, NodeContext
from ..draft import Draft, yaml_text
from ..families import families_by
from ..system import egress_proxy, volumes
from ..systemd import Section, unit_text
from . import containerd, credential_provider
from .kubelet_config import SERVING_CERTIFICATE, SERVING_KEY, kubelet_configuration

UNIT = "kubelet.service"
KUBECONFIG = "/var/lib/kubelet/kubeconfig"
_CONFIG = "/var/lib/kubelet/kubelet.conf"
_ENVIRONMENT = "/etc/sysconfig/kubelet"
# kops' own default, longer than the kubelet's two minutes.
_REQUEST_TIMEOUT = Duration("15m0s")


def build(context: NodeContext, draft: Draft) -> None:
    """The kubelet with all that it reads."""
    kubelet = context.kubelet()
    for path in (kubelet.pod_manifest_path, "/var/lib/kubelet", "/etc/sysconfig", SRV):
        if path:
            draft.directory(path)
    for family, when in families_by("volume_plugins"):
        draft.file(_CONFIG, _configuration(context, kubelet, family), "0600", when=when)
    _build_certificates(context, draft)
    more = credential_provider.build(context, draft)
    draft.file(_ENVIRONMENT, f'DAEMON_ARGS="{_arguments(context, more)}"\nHOME="/root"\n')
    certificates = [f"file:{path}" for path in (KUBECONFIG, SERVING_CERTIFICATE, SERVING_KEY)]
    reasons = [f"file:{_CONFIG}", *certificates, "download:kubelet"]
    reasons += [f"file:{credential_provider.PATH}"] if more else []
    unit, drop_ins = (
        _unit(kubelet.kubelet_cgroups or ""),
        {**egress_proxy.drop_ins(context), **volumes.awaited(context)},
    )
    # Pods run on while the kubelet restarts, and with other certificates it does nothing else than before.
    # Until the API server answers, it would try to register at growing intervals.
    awaits = "" if context.has_api_server else f"{context.api_internal_name}:{ports.KUBE_API_SERVER}"
    draft.unit(UNIT, unit, restart_on=reasons, quietRestartOn=certificates, drop_ins=drop_ins, awaits=awaits)
    for cgroup in (kubelet.kubelet_cgroups, kubelet.system_cgroups):
        if cgroup:
            name, content = containerd.slice_unit(cgroup)
            draft.ensure("units", {"name": name, "content": content, "enabled": False, "state": "started"})


def _configuration(context: NodeContext, kubelet: KubeletConfigSpec, family: Family) -> str:
    text, marker = yaml_text(kubelet_configuration(context, kubelet, family)), f"@@{MAX_PODS}@@"
    # The fact is a number, and YAML writes its marker as a text.
    return text.replace(f"'{marker}'", marker)


def _arguments(context: NodeContext, more: list[str]) -> str:
    """Options of the command line: those of the specification, and those that only a node can know."""
    kubelet = context.kubelet()
    kubelet.runtime_request_timeout = kubelet.runtime_request_timeout or _REQUEST_TIMEOUT
    # The certificate names the node, so the controller alone decides the name.
    kubelet.hostname_override = kubelet.hostname_override or NODE_NAME
    # A kubelet may not give itself the labels of roles; the control plane does it.
    kubelet.node_labels = {}
    address = _address(context)
    options = [option_text(kubelet), f"--node-ip={address}" if address else "", f"--config={_CONFIG}", *more]
    return " ".join(option for option in options if option)


def _address(context: NodeContext) -> str:
    """The node's address, where the kubelet might not find it."""
    if context.is_ipv6_only and not context.on_metal:
        return "::"
    networking = context.cluster.spec.networking
    # Networking may give addresses of its own to the node, of which the kubelet might take the wrong one.
    several = (
        networking.amazon_vpc is not None
        or bool(networking.cni and networking.cni.uses_secondary_ip)
        or bool(networking.cilium and networking.cilium.ipam == "eni")
        or context.cloud.has_several_addresses
    )
    # Else a Node on AWS would have no address until the cloud controller manager, a pod, has started and asked EC2, and
    # until then kube-proxy waits.
    return INTERNAL_IP if several or has_one_address_on_aws(context.cluster) else ""


def _build_certificates(context: NodeContext, draft: Draft) -> None:
    """The kubelet is its node as a client of the API server, which reaches it as a server by name or address."""
    draft.certificate(
        Certificate(
            "kubelet",
            Subject(f"system:node:{NODE_NAME}", ("system:nodes",)),
            kubeconfig=KUBECONFIG,
            server=context.api_url,
            key_mode="0400",
        )
    )
    draft.certificate(
        Certificate(
            "kubelet-server",
            Subject(NODE_NAME),
            type="server",
            alternate_names=(NODE_NAME, INTERNAL_IP),
            directory=SRV,
            key_mode="0400",
        )
    )


def _unit(cgroup: str) -> str:
    service: Section = [
        ("EnvironmentFile", _ENVIRONMENT),
        ("ExecStart", f'{BINARIES}/kubelet "$DAEMON_ARGS"'),
        ("Restart", "always"),
        ("RestartSec", "2s"),
        ("StartLimitInterval", "0"),
        ("KillMode", "process"),
        ("User", "root"),
        ("CPUAccounting", "true"),
        ("MemoryAccounting", "true"),
        *([("Slice", containerd.slice_unit(cgroup)[0])] if cgroup else []),
    ]
    return unit_text(
        {
            "Unit": [
                ("Description", "Kubernetes Kubelet Server"),
                ("Documentation", "https://github.com/kubernetes/kubernetes"),
                ("After", "containerd.service"),
            ],
            "Service": service,
            "Install": [("WantedBy", "multi-user.target")],
        }
    )
