# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels: the built-in tables, those in files, and the questions to them."""

from __future__ import annotations

import http.server
import threading

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.versions import Version
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.channels.channel import Channel, Upgrade, is_channel_image
from ansible_collections.kubeops.kops.plugins.module_utils.channels.loader import load_channel, parse_channel

CHANNEL = """
spec:
  images:
  - {name: first, providerID: aws, architectureID: amd64, kubernetesVersion: ">=1.32.0"}
  - {name: any-architecture, providerID: gce}
  kubernetesVersions:
  - {range: ">=1.34.0", recommendedVersion: 1.34.10, requiredVersion: 1.34.0}
  - {range: "<1.34.0", recommendedVersion: 1.34.10, requiredVersion: 1.33.0}
  kopsVersions:
  - {range: ">=1.34.0-alpha.1", recommendedVersion: "1.35.1", kubernetesVersion: 1.34.10}
  packages:
  - {name: tool, version: 1.0.0, kubernetesVersion: "<1.33.0"}
  - {name: tool, version: 2.0.0, kubernetesVersion: ">=1.33.0"}
"""


@pytest.mark.parametrize("name", ["stable", "alpha"])
def test_built_in_channels_are_those_of_kops(golden, name):
    assert load_channel(name) == load_channel(str(golden / "facts" / "channels" / name))


@pytest.mark.parametrize(
    ("cloud", "version", "architecture", "expected"),
    [
        ("aws", "1.34.0", "arm64", "099720109477/ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-arm64-server-20260714"),
        ("aws", "v1.31.0", "amd64", "099720109477/ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20260714"),
        ("gce", "1.36.0", "amd64", "ubuntu-os-cloud/ubuntu-2404-noble-amd64-v20260615"),
        ("azure", "1.36.0", "arm64", "Canonical:ubuntu-24_04-lts:server-arm64:24.04.202606060"),
        ("hetzner", "1.36.0", "amd64", None),
    ],
)
def test_image_of_stable(cloud, version, architecture, expected):
    assert load_channel("stable").image(cloud, version, architecture) == expected


def test_questions():
    channel = parse_channel(CHANNEL)
    assert channel.image("aws", "1.31.0", "amd64") is None
    assert channel.image("gce", "1.31.0", "arm64") == "any-architecture"
    assert channel.default_kubernetes_version("1.37.0-alpha.1") == "1.34.10"
    assert channel.default_kubernetes_version("1.30.0") is None
    assert channel.kubernetes_upgrade("1.34.10") == Upgrade()
    assert channel.kubernetes_upgrade("1.32.1") == Upgrade(Version(1, 34, 10), Version(1, 33))
    assert channel.kops_upgrade("1.34.0") == Upgrade(Version(1, 35, 1))
    assert channel.package_version("tool", "1.32.0", "1.37.0") == "1.0.0"
    with pytest.raises(KopsError, match="no versions of the package 'other'"):
        channel.package_version("other", "1.32.0", "1.37.0")


def test_stable_for_new_clusters():
    assert load_channel("stable").default_kubernetes_version("1.37.0-alpha.1") == "1.36.3"
    assert load_channel("none") == Channel()


def test_channel_images():
    assert is_channel_image("099720109477/ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20250101")
    assert not is_channel_image("ami-12345678")


def test_load_from_file_and_url(tmp_path):
    (tmp_path / "own").write_text(CHANNEL)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, directory=str(tmp_path), **options)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        expected = parse_channel(CHANNEL)
        for location in (str(tmp_path / "own"), f"file://{tmp_path}/own", f"http://127.0.0.1:{server.server_port}/own"):
            assert load_channel(location) == expected
        with pytest.raises(KopsError, match="cannot read the channel"):
            load_channel(f"http://127.0.0.1:{server.server_port}/none")
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("location", "message"),
    [("beta", "there is no channel 'beta'"), ("/nowhere/channel", "cannot read the channel /nowhere/channel")],
)
def test_load_refuses(location, message):
    with pytest.raises(KopsError, match=message):
        load_channel(location)


@pytest.mark.parametrize("text", ["{", "[]", "spec: text", "spec: {images: {name: x}}", "spec: {images: [text]}"])
def test_parse_refuses(text):
    with pytest.raises(KopsError, match="here( is not|, document 1, line 2, column 1: this is not YAML)"):
        parse_channel(text, source="here")
