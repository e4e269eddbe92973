# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cluster autoscaler reads from the tags of a group, in every cloud.

Source: pkg/model/context.go of kops.
"""

from __future__ import annotations

from ..api.instance_group import InstanceGroup

LABEL_PREFIX = "k8s.io/cluster-autoscaler/node-template/label/"
TAINT_PREFIX = "k8s.io/cluster-autoscaler/node-template/taint/"


def taint_tags(group: InstanceGroup) -> dict[str, str]:
    """The taints of a group's future nodes as tags; a taint without effect has none."""
    tags = {}
    for text in group.spec.taints:
        subject, _colon, effect = text.partition(":")
        key, _equals, value = subject.partition("=")
        if effect:
            tags[TAINT_PREFIX + key] = f"{value}:{effect}"
    return tags
