# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where images and files come from."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import AssetsSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.completion.assets import (
    file_mirrors,
    remap_file,
    remap_image,
)
from ansible_collections.kubeops.kops.plugins.module_utils.completion.gce.questions import role_tag

KUBELET = "https://dl.k8s.io/release/v1.34.0/bin/linux/amd64/kubelet"


@pytest.mark.parametrize(
    ("assets", "image", "expected"),
    [
        (None, "registry.k8s.io/pause:3.10.1", "registry.k8s.io/pause:3.10.1"),
        (AssetsSpec(), "registry.k8s.io/pause:3.10.1", "registry.k8s.io/pause:3.10.1"),
        (AssetsSpec(container_proxy="proxy.io/"), "registry.k8s.io/dns/cache:1", "proxy.io/dns/cache:1"),
        (AssetsSpec(container_proxy="proxy.io"), "hetznercloud/ccm:1", "proxy.io/hetznercloud/ccm:1"),
        (AssetsSpec(container_proxy="proxy.io"), "quay.io/ccm:1", "proxy.io/ccm:1"),
        (AssetsSpec(container_registry="r.io/kops"), "registry.k8s.io/dns/cache:1", "r.io/kops/dns-cache:1"),
        (AssetsSpec(container_registry="r.io/kops"), "quay.io/calico/node:1", "r.io/kops/quay.io-calico-node:1"),
        (AssetsSpec(container_registry="r.io/kops"), "r.io/kops/dns-cache:1", "r.io/kops/dns-cache:1"),
    ],
)
def test_images(assets, image, expected):
    assert remap_image(image, assets) == expected


@pytest.mark.parametrize(
    ("repository", "url", "expected"),
    [
        (None, KUBELET, KUBELET),
        ("https://files.io", KUBELET, "https://files.io/release/v1.34.0/bin/linux/amd64/kubelet"),
        ("https://files.io/k8s/", KUBELET, "https://files.io/k8s/release/v1.34.0/bin/linux/amd64/kubelet"),
        ("https://dl.k8s.io/other", KUBELET, KUBELET),
        ("https://files.io", "https://example.com/a,b", "https://files.io/a%2Cb"),
    ],
)
def test_files(repository, url, expected):
    assert remap_file(url, AssetsSpec(file_repository=repository)) == expected
    assert remap_file(url, None) == url


def test_a_repository_that_is_no_url_is_refused():
    with pytest.raises(ValidationError, match="spec.assets.fileRepository"):
        remap_file(KUBELET, AssetsSpec(file_repository="files"))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (KUBELET, [KUBELET]),
        (
            "https://artifacts.k8s.io/binaries/kops/1.34.0/linux/arm64/nodeup",
            [
                "https://artifacts.k8s.io/binaries/kops/1.34.0/linux/arm64/nodeup",
                "https://github.com/kubernetes/kops/releases/download/v1.34.0/nodeup-linux-arm64",
            ],
        ),
    ],
)
def test_mirrors(url, expected):
    assert file_mirrors(url, "1.34.0") == expected


def test_gce_tags_fit():
    assert role_tag("ha.example.com", "node") == "ha-example-com-k8s-io-role-node"
    long = role_tag("minimal-gce-with-a-very-very-very-very-very-long-name.example.com", "node")
    assert len(long) == 63
    assert long.startswith("minimal-gce-with-a-very-very-very-very-")
    assert long.endswith("-k8s-io-role-node")
