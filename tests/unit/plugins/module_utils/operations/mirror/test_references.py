# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of images."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.references import Reference

DIGEST = f"sha256:{'a' * 64}"


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("registry.k8s.io/kube-proxy:v1.34.1", ("registry.k8s.io", "kube-proxy", "v1.34.1")),
        ("10.0.0.1:5000/kops/coredns-coredns:v1", ("10.0.0.1:5000", "kops/coredns-coredns", "v1")),
        ("localhost/a:1", ("localhost", "a", "1")),
        ("flannel/flannel:v0.28", ("docker.io", "flannel/flannel", "v0.28")),
        ("nginx", ("docker.io", "library/nginx", "latest")),
        ("docker.io/nginx:1", ("docker.io", "library/nginx", "1")),
        (f"quay.io/a/b:v1@{DIGEST}", ("quay.io", "a/b", DIGEST)),
        (f"quay.io/a/b@{DIGEST}", ("quay.io", "a/b", DIGEST)),
    ],
)
def test_parts(image: str, expected: tuple[str, str, str]) -> None:
    found = Reference.parse(image)
    assert (found.registry, found.repository, found.reference) == expected
    assert Reference.parse(str(found)) == found


@pytest.mark.parametrize(
    "image", ["", "UPPER/case:1", "a/../b:1", "a:b:c", "a@sha256:12", "registry.example.com/", "a b"]
)
def test_what_is_no_name(image: str) -> None:
    with pytest.raises(KopsError, match="is not the name of an image"):
        Reference.parse(image)
