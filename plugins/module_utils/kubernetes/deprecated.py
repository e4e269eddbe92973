# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deprecated APIs that somebody has requested since an API server started, by its own metrics.

Source: the metric apiserver_requested_deprecated_apis of kube-apiserver (k8s.io/apiserver, pkg/endpoints/metrics).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_METRIC = "apiserver_requested_deprecated_apis{"
_STARTED = "process_start_time_seconds "
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def deprecated_in(metrics: str) -> dict[str, str]:
    """API and resource, such as "batch/v1beta1 cronjobs" -> the minor version that does not serve it any more.

    Those whose end nobody knows yet are left out.
    """
    found = {}
    for line in metrics.splitlines():
        if line.startswith(_METRIC) and not line.endswith(" 0"):
            labels = dict(_LABEL.findall(line))
            group, resource = labels.get("group", ""), labels.get("resource", "")
            name = f"{group}/{labels.get('version', '')}" if group else labels.get("version", "")
            what = f"{resource}/{labels['subresource']}" if labels.get("subresource") else resource
            if labels.get("removed_release"):
                found[f"{name} {what}"] = labels["removed_release"]
    return found


def started_at(metrics: str) -> str:
    """What tells the process whose metrics they are from those of other API servers."""
    return next((line for line in metrics.splitlines() if line.startswith(_STARTED)), "")


def removal_warnings(deprecated: Iterable[tuple[str, str]], minor: tuple[int, int]) -> list[str]:
    """A sentence for each API that a version of Kubernetes (its major and minor number) does not serve any more."""
    return [
        f"clients request {name}, which Kubernetes {release} and newer do not serve; the audit log of the API servers"
        " says who they are"
        for name, release in sorted({*deprecated})
        if _numbers(release) <= minor
    ]


def _numbers(release: str) -> tuple[int, ...]:
    parts = release.split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else (0, 0)
