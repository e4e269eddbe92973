# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of components as arguments of their programs, and back."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.v1alpha2.kube_apiserver import KubeAPIServerConfig
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.components import (
    arguments,
    kubelet_arguments,
    kubelet_settings,
    settings_of,
)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"enableProfiling": False}, {"profiling": "false"}),
        ({"maxRequestsInflight": 10}, {"max-requests-inflight": "10"}),
        ({"runtimeConfig": {"b": "1", "a": "2"}}, {"runtime-config": "a=2,b=1"}),
        ({"enableAdmissionPlugins": ["B", "A"]}, {"enable-admission-plugins": "B,A"}),
        ({"eventTTL": "1h0m0s"}, {"event-ttl": "1h0m0s"}),
    ],
)
def test_both_directions(settings: dict[str, Any], expected: dict[str, str]) -> None:
    assert arguments(KubeAPIServerConfig, settings) == expected
    assert settings_of(KubeAPIServerConfig, expected) == settings


def test_what_is_no_argument_or_several() -> None:
    """kubeadm gives each argument once."""
    assert arguments(KubeAPIServerConfig, {"oidcRequiredClaim": ["a=b"], "cpuRequest": "100m"}) == {}
    assert settings_of(KubeAPIServerConfig, {"no-such-argument": "1"}) == {}


def test_the_kubelet() -> None:
    settings = {"maxPods": 80, "kubeReserved": {"cpu": "100m"}, "evictionHard": "memory.available<100Mi"}
    given = {"max-pods": "80", "kube-reserved": "cpu=100m", "eviction-hard": "memory.available<100Mi"}
    assert kubelet_arguments({**settings, "podsPerCore": 4}) == given
    assert kubelet_settings(given) == settings
