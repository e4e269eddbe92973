# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deprecated APIs that clients request, by the metrics of an API server."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.deprecated import (
    deprecated_in,
    removal_warnings,
    started_at,
)


def line(group: str, version: str, resource: str, removed: str, subresource: str = "", value: int = 1) -> str:
    labels = {
        "group": group,
        "removed_release": removed,
        "resource": resource,
        "subresource": subresource,
        "version": version,
    }
    written = ",".join(f'{name}="{text}"' for name, text in labels.items())
    return f"apiserver_requested_deprecated_apis{{{written}}} {value}"


METRICS = "\n".join(
    [
        "# TYPE apiserver_requested_deprecated_apis gauge",
        line("", "v1", "endpoints", ""),
        line("batch", "v1beta1", "cronjobs", "1.35"),
        line("policy", "v1beta1", "evictions", "1.36", "status"),
        line("apps", "v1beta1", "deployments", "1.34", value=0),
        "process_start_time_seconds 1.7e+09",
    ]
)


def test_what_has_an_end_is_found() -> None:
    assert deprecated_in(METRICS) == {"batch/v1beta1 cronjobs": "1.35", "policy/v1beta1 evictions/status": "1.36"}
    assert started_at(METRICS) == "process_start_time_seconds 1.7e+09"


def test_only_what_the_new_version_lacks_is_a_warning() -> None:
    found = deprecated_in(METRICS).items()
    assert removal_warnings(found, (1, 34)) == []
    (warning,) = removal_warnings(found, (1, 35))
    assert warning.startswith("clients request batch/v1beta1 cronjobs, which Kubernetes 1.35 and newer do not serve;")
    assert len(removal_warnings(found, (1, 36))) == 2
