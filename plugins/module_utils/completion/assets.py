# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where images and files are fetched from: spec.assets sends all downloads to the user's mirrors."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote, urlsplit, urlunsplit

from ..api.cluster import AssetsSpec
from .problems import invalid

_KUBERNETES_REGISTRY = "registry.k8s.io/"
# Where else kops' own artefacts are published; {version} is that of kops.
_KOPS_ARTEFACTS = "https://artifacts.k8s.io/binaries/kops/{version}/"
_KOPS_RELEASES = "https://github.com/kubernetes/kops/releases/download/v{version}/"


def remap_image(image: str, assets: AssetsSpec | None) -> str:
    """The image's name under the container proxy and in the container registry of spec.assets; itself without them.

    A proxy replaces the registry's host and keeps the path; a registry gets all images side by side, "/" in the path
    becoming "-", and leaves alone what it has already.
    """
    if assets is None:
        return image
    if assets.container_proxy is not None:
        image = _through_proxy(image, assets.container_proxy.removesuffix("/"))
    if assets.container_registry is not None:
        image = _in_registry(image, assets.container_registry)
    return image


def _through_proxy(image: str, proxy: str) -> str:
    first = image.split("/", 1)[0]
    on_docker_hub = image.count("/") <= 1 and not re.search("[.:]", first)
    return f"{proxy}/{image}" if on_docker_hub else proxy + image[len(first) :]


def _in_registry(image: str, registry: str) -> str:
    image = image.removeprefix(_KUBERNETES_REGISTRY)
    return image if image.startswith(f"{registry}/") else f"{registry}/{image.replace('/', '-')}"


def remap_file(url: str, assets: AssetsSpec | None) -> str:
    """The file's URL in the file repository of spec.assets (the same path below the repository's); itself without one.

    Raises ValidationError if the repository is not a URL.
    """
    if assets is None or assets.file_repository is None:
        return url
    repository, canonical = urlsplit(assets.file_repository), urlsplit(url)
    if not repository.scheme or not (repository.netloc or repository.path):
        raise invalid("spec.assets.fileRepository", "must be a URL", assets.file_repository)
    if repository.netloc == canonical.netloc:
        return url
    path = posixpath.normpath(posixpath.join(repository.path or "/", canonical.path.lstrip("/")))
    # A comma would separate locations where a node is given several.
    return urlunsplit((repository.scheme, repository.netloc, quote(path, safe="/%+:@&=$~!*'()"), repository.query, ""))


def file_mirrors(url: str, kops_version: str) -> list[str]:
    """Every place that a file can be had from, the given URL first. Only kops' own artefacts have more than one."""
    base = _KOPS_ARTEFACTS.format(version=kops_version)
    if not url.startswith(base):
        return [url]
    name = url[len(base) :].replace("/", "-")
    for architecture in ("amd64", "arm64"):
        name = name.replace(f"linux-{architecture}-nodeup", f"nodeup-linux-{architecture}")
    return [url, _KOPS_RELEASES.format(version=kops_version) + name]
