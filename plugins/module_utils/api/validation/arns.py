# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Amazon resource names, ``arn:partition:service:region:account:resource``."""

from __future__ import annotations


def arn_resource(text: str) -> str | None:
    """The resource part of an ARN ("role/admin"); None when text is not an ARN."""
    sections = text.split(":", 5)
    return sections[5] if len(sections) == 6 and sections[0] == "arn" else None


def is_arn_of(text: str, *kinds: str) -> bool:
    """Whether text is the ARN of a resource of one of the kinds ("policy", "role", ...)."""
    resource = arn_resource(text)
    return resource is not None and resource.startswith(tuple(f"{kind}/" for kind in kinds))
