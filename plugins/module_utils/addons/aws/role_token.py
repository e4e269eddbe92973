# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a pod becomes an IAM role: a token of its service account that AWS takes (pkg/model/iam/subject.go of kops)."""

from __future__ import annotations

from typing import Any

_VOLUME = "token-amazonaws-com"
_DIRECTORY = "/var/run/secrets/amazonaws.com/"
_FILE = "token"
_SECONDS = 86400
# kops' group for programs that need nothing but to read the token.
_GROUP = 10001


def add_role(pod: dict[str, Any], arn: str) -> None:
    """Give all containers of a pod's specification the role of that ARN."""
    token = {"audience": "amazonaws.com", "expirationSeconds": _SECONDS, "path": _FILE}
    projected = {"defaultMode": 0o644, "sources": [{"serviceAccountToken": token}]}
    pod.setdefault("volumes", []).append({"name": _VOLUME, "projected": projected})
    for container in (*pod.get("initContainers", ()), *pod["containers"]):
        # kops passes the pod through Kubernetes' own type, which always writes this field.
        container.setdefault("resources", {})
    for container in pod["containers"]:
        container.setdefault("volumeMounts", []).append({"mountPath": _DIRECTORY, "name": _VOLUME, "readOnly": True})
        container.setdefault("env", []).extend(
            [
                {"name": "AWS_ROLE_ARN", "value": arn},
                {"name": "AWS_WEB_IDENTITY_TOKEN_FILE", "value": _DIRECTORY + _FILE},
            ]
        )
    pod.setdefault("securityContext", {}).setdefault("fsGroup", _GROUP)
