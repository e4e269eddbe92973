# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of MetalLB, and the labels of their objects."""

from __future__ import annotations

VERSION, NAMESPACE = "v0.16.1", "metallb-system"
CONTROLLER, SPEAKER = "controller", "speaker"
LABELS = {"app": "metallb"}
WEBHOOK_SERVICE, WEBHOOK_SECRET = "metallb-webhook-service", "metallb-webhook-cert"
# With the key by which speakers find each other; the controller makes it.
MEMBERS = "memberlist"
EXCLUDED_INTERFACES = "metallb-excludel2"


def labels_of(component: str) -> dict[str, str]:
    """The labels of a program's workload and pods."""
    return {**LABELS, "component": component}


def image_of(component: str) -> str:
    """The image of a program."""
    return f"quay.io/metallb/{component}:{VERSION}"
