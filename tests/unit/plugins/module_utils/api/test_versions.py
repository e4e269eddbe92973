# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions and their ranges."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.versions import (
    Version,
    VersionRange,
    is_at_least,
    is_build_url,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.34.0", "1.34.0"),
        ("v1.34", "1.34.0"),
        (" 1 ", "1.0.0"),
        ("v1.34.0-beta.1", "1.34.0-beta.1"),
        ("1.36.0-alpha.0.615+cc55e3447816e4", "1.36.0-alpha.0.615+cc55e3447816e4"),
        ("https://storage.googleapis.com/k8s-release-dev/ci/v1.36.0-alpha.0.615+cc55e3447816e4", "1.36.0"),
    ],
)
def test_parse(text, expected):
    assert str(Version.parse(text)) == expected


@pytest.mark.parametrize("text", ["", "latest", "1.34-beta", "1.2.3.4", "https://example.com/kubernetes"])
def test_parse_refuses(text):
    with pytest.raises(KopsError, match="not a version"):
        Version.parse(text)


def test_order():
    ascending = [
        "1.0.0-1",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0",
    ]
    versions = [Version.parse(text) for text in ascending]
    assert sorted(versions[1::2] + versions[::2]) == versions
    assert Version.parse("1.34.0+a") == Version.parse("1.34.0+b")
    assert Version.parse("1.34.10") > Version.parse("1.34.9")


@pytest.mark.parametrize(
    ("range_", "inside", "outside"),
    [
        (">=1.32.0", ["1.32.0", "1.37.0-alpha.1"], ["1.31.9", "1.32.0-rc.1"]),
        (">=1.27.0 <1.32.0", ["1.27.0", "1.31.14"], ["1.26.15", "1.32.0"]),
        ("<1.16.0-alpha.1", ["1.15.9"], ["1.16.0-alpha.1"]),
        ("1.2.3 || > 1.5.0", ["1.2.3", "1.5.1"], ["1.5.0"]),
        ("!=1.5.0", ["1.5.1"], ["1.5.0"]),
        ("1.34.x || =2.x", ["1.34.0", "1.34.9", "2.7.1"], ["1.33.9", "1.35.0", "3.0.0"]),
        (">1.34.x", ["1.35.0"], ["1.34.9"]),
        (">=1.34.x", ["1.34.0"], ["1.33.9"]),
        ("<1.x.x", ["0.9.0"], ["1.0.0"]),
        ("<=1.34.x", ["1.34.9"], ["1.35.0"]),
    ],
)
def test_ranges(range_, inside, outside):
    parsed = VersionRange.parse(range_)
    assert [text for text in inside if Version.parse(text) not in parsed] == []
    assert [text for text in outside if Version.parse(text) in parsed] == []


@pytest.mark.parametrize("text", ["=>1.2.0", ">=", "about 1.2", "", "||", ">=1.2.0 ||", "!1.2.x"])
def test_ranges_refuse(text):
    with pytest.raises(KopsError):
        VersionRange.parse(text)


def test_is_at_least_ignores_the_cluster_s_pre_release():
    cluster = Cluster()
    cluster.spec.kubernetes_version = "v1.34.0-alpha.1"
    assert is_at_least(cluster, "1.34")
    assert not is_at_least(cluster, "1.35")


def test_build_urls():
    assert is_build_url("https://example.com/v1.36.0")
    assert not is_build_url("1.36.0")
