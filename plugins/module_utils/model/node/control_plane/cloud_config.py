# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What cloud controllers read on a control plane (cloudconfig.go of nodeup)."""

from __future__ import annotations

from ....api.clouds import AWS, GCE
from ..context import NodeContext
from ..draft import Draft

PATH = "/etc/kubernetes/cloud.config"


def build(context: NodeContext, draft: Draft) -> None:
    """The file, in clouds whose controllers read one."""
    if context.cloud in (AWS, GCE) and context.has_api_server:
        draft.file(PATH, "[global]\n" + "\n".join(_lines(context)) + "\n")


def _lines(context: NodeContext) -> list[str]:
    provider = context.cluster.spec.cloud_provider
    settings: dict[str, object] = {}
    if (gce := provider.gce) is not None:
        settings = {
            "node-tags": gce.node_tags,
            "node-instance-prefix": gce.node_instance_prefix,
            "multizone": gce.multizone,
        }
    families: list[str] = []
    if (aws := provider.aws) is not None:
        settings = {
            "DisableSecurityGroupIngress": aws.disable_security_group_ingress,
            "ElbSecurityGroup": aws.elb_security_group,
            "NLBSecurityGroupMode": aws.nlb_security_group_mode,
        }
        families = [f"NodeIPFamilies = {family}" for family in aws.node_ip_families]
    lines = [f"{name} = {_text(value)}" for name, value in settings.items() if value is not None]
    return lines + families


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
