# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of container images, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...base.errors import KopsError

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_REPOSITORY = re.compile(r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*")
_TAG = re.compile(r"\w[\w.-]{0,127}")
DOCKER_HUB = "docker.io"


def is_digest(text: str) -> bool:
    """Whether a text is a digest that is understood here."""
    return bool(_DIGEST.fullmatch(text))


@dataclass(frozen=True)
class Reference:
    """An image in a registry: registry.k8s.io, kube-proxy, v1.34.1. reference: its tag, or its digest if it has one."""

    registry: str
    repository: str
    reference: str

    @classmethod
    def parse(cls, image: str) -> Reference:
        """The parts of a name, with what Docker leaves out. Raises KopsError for a text that is none."""
        name, _at, digest = image.partition("@")
        first, slash, rest = name.partition("/")
        is_host = bool(slash) and (re.search("[.:]", first) is not None or first == "localhost")
        registry, path = (first, rest) if is_host else (DOCKER_HUB, name)
        repository, colon, tag = path.rpartition(":")
        if not colon:
            repository, tag = path, "latest"
        if registry in (DOCKER_HUB, "index.docker.io"):
            registry, repository = DOCKER_HUB, repository if "/" in repository else f"library/{repository}"
        fits = _REPOSITORY.fullmatch(repository) and _TAG.fullmatch(tag)
        if not fits or (digest and not is_digest(digest)):
            raise KopsError(f"{image}: is not the name of an image")
        return cls(registry, repository, digest or tag)

    @property
    def is_pinned(self) -> bool:
        """Whether it names its content."""
        return is_digest(self.reference)

    def __str__(self) -> str:
        separator = "@" if self.is_pinned else ":"
        return f"{self.registry}/{self.repository}{separator}{self.reference}"
