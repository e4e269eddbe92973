# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes objects that the user adds to the cluster. They are not ours, so only what breaks us is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .problems import Problems, invalid


def validate_objects(objects: Iterable[Mapping[str, Any]], path: str = "addons") -> Problems:
    """Objects as plain data. A KubeSchedulerConfiguration leaves the scheduler's kubeconfig to us."""
    found: Problems = []
    for data in objects:
        group = str(data.get("apiVersion") or "").partition("/")[0]
        if data.get("kind") != "KubeSchedulerConfiguration" or group != "kubescheduler.config.k8s.io":
            continue
        metadata = data.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else None
        at = f"{path}.kind={data['kind']}" + (f".name={name}" if name else "")
        connection = data.get("clientConnection")
        if connection is not None and not isinstance(connection, Mapping):
            found.append(invalid(f"{at}.clientConnection.kubeconfig", None, "clientConnection must be a map"))
        elif connection and connection.get("kubeconfig"):
            found.append(
                invalid(
                    f"{at}.clientConnection.kubeconfig",
                    connection["kubeconfig"],
                    "is set by us; leave it out",
                )
            )
    return found
