# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an image consists of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.images import read_image
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.references import Reference
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.registry import Manifest

INDEX = "application/vnd.docker.distribution.manifest.list.v2+json"
MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
NAME = Reference.parse("registry.example.com/a:1")


def descriptor(letter: str, size: int = 3, **more: Any) -> dict[str, Any]:
    return {"digest": f"sha256:{letter * 64}", "size": size, **more}


def manifest(*layers: dict[str, Any]) -> Manifest:
    content = {"mediaType": MANIFEST, "config": descriptor("c", 5), "layers": list(layers)}
    return Manifest(json.dumps(content).encode(), MANIFEST)


def index(**platforms: Manifest) -> Manifest:
    """A list of manifests by their platforms: os_architecture."""
    entries = []
    for platform, each in platforms.items():
        system, _underscore, architecture = platform.partition("_")
        entry = {"digest": each.digest, "size": len(each.data), "mediaType": MANIFEST}
        entries.append({**entry, "platform": {"os": system, "architecture": architecture}})
    return Manifest(json.dumps({"mediaType": INDEX, "manifests": entries}).encode(), INDEX)


class Kept(dict[str, Manifest]):
    """Manifests by their digests; the first is that of the tag."""

    def __init__(self, *manifests: Manifest) -> None:
        super().__init__({each.digest: each for each in manifests})
        self["1"] = manifests[0]


AMD64, ARM64, WINDOWS = manifest(descriptor("1")), manifest(descriptor("2")), manifest(descriptor("3"))
ALL = index(linux_amd64=AMD64, linux_arm64=ARM64, windows_amd64=WINDOWS)
KEPT = Kept(ALL, AMD64, ARM64, WINDOWS)


def test_all_of_it() -> None:
    image = read_image(KEPT.__getitem__, NAME, ())
    assert image.manifest == ALL
    assert image.parts == (AMD64, ARM64, WINDOWS)
    assert [blob.digest[7] for blob in image.blobs] == ["c", "1", "2", "3"]
    assert image.size == 5 + 3 * 3 + sum(len(each.data) for each in (ALL, AMD64, ARM64, WINDOWS))


def test_some_architectures() -> None:
    image = read_image(KEPT.__getitem__, NAME, ["amd64"])
    assert image.parts == (AMD64,)
    assert image.manifest.digest == read_image(KEPT.__getitem__, NAME, ["amd64"]).manifest.digest != ALL.digest
    with pytest.raises(KopsError, match="is not for riscv64, but for amd64, arm64"):
        read_image(KEPT.__getitem__, NAME, ["riscv64"])
    # All that there are.
    both = index(linux_amd64=AMD64, linux_arm64=ARM64)
    kept = Kept(both, AMD64, ARM64)
    assert read_image(kept.__getitem__, NAME, ["amd64", "arm64"]).manifest == both


def test_what_is_named_by_its_digest_is_whole() -> None:
    name = Reference.parse(f"registry.example.com/a@{ALL.digest}")
    assert read_image(KEPT.__getitem__, name, ["amd64"]).manifest == ALL


def test_layers_that_only_their_publisher_distributes() -> None:
    foreign = descriptor("9", mediaType="application/vnd.docker.image.rootfs.foreign.diff.tar.gzip")
    only = manifest(descriptor("1"), foreign)
    assert [blob.digest[7] for blob in read_image(Kept(only).__getitem__, NAME, ()).blobs] == ["c", "1"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<html>", "its manifest is not JSON"),
        (b"[]", "is not a JSON object"),
        (b'{"schemaVersion": 1}', "a manifest of the type text/plain is not understood"),
        (json.dumps({"mediaType": MANIFEST, "config": {"digest": "md5:1", "size": 1}}).encode(), "is not understood"),
        (
            json.dumps({"mediaType": MANIFEST, "config": {"digest": "sha256:../x", "size": 1}}).encode(),
            "not understood",
        ),
    ],
)
def test_what_is_no_image(data: bytes, expected: str) -> None:
    with pytest.raises(KopsError, match=expected):
        read_image(Kept(Manifest(data, "text/plain")).__getitem__, NAME, ()).blobs.clear()
