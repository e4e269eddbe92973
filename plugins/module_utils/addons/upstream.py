# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of an addon's upstream release: the definitions of its kinds, which are too large to be made here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..api.yaml.read import read_documents, read_plain
from ..api.yaml.write import dump_plain
from ..base.errors import KopsError, ManifestError

DIRECTORY = "addons/upstream"
# Path below the cluster's directory: which content a URL had when it was first used.
LOCK = "addons/lock.yaml"
_DEFINITION, _API = "CustomResourceDefinition", "apiextensions.k8s.io/v1"


@dataclass(frozen=True)
class UpstreamFile:
    """A file: its publisher's URL, its content, and the definitions of kinds in it."""

    url: str
    data: bytes
    definitions: Sequence[dict[str, Any]]

    @property
    def sha256(self) -> str:
        """Of its content, in hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def location(self) -> str:
        """Its path below the cluster's directory of the state store."""
        return location(self.sha256)


# Gives files by their URLs; raises KopsError with every file that is not to be had.
ReadUpstream = Callable[[Sequence[str]], Mapping[str, UpstreamFile]]


def location(sha256: str) -> str:
    """Where the state store keeps the content with this checksum: a path below the cluster's directory."""
    return f"{DIRECTORY}/{sha256}.yaml"


def parse(url: str, data: bytes) -> UpstreamFile:
    """A file with its definitions of kinds; raises KopsError if it has none, or is not YAML."""
    if data.lstrip()[:1] == b"<":
        raise KopsError(f"{url}: an HTML page instead of YAML; is it the page of a proxy or of a login?")
    try:
        documents = [document.data for document in read_documents(data, url)]
    except ManifestError as error:
        raise KopsError(str(error)) from error
    found = [document for document in documents if _is_definition(document)]
    if not found:
        raise KopsError(f"{url}: contains no {_DEFINITION}")
    return UpstreamFile(url, data, found)


def _is_definition(document: Any) -> bool:
    """Whether it is the definition of a kind, with what is needed to apply it."""
    if not isinstance(document, dict) or document.get("kind") != _DEFINITION:
        return False
    parts = (document.get(name) for name in ("metadata", "spec"))
    return document.get("apiVersion") == _API and all(isinstance(part, dict) for part in parts)


def lock_text(files: Sequence[UpstreamFile]) -> str:
    """The content of the lock."""
    entries = [{"url": file.url, "sha256": file.sha256} for file in sorted(files, key=lambda file: file.url)]
    return dump_plain({"files": entries})


def read_lock(text: str | bytes, source: str) -> dict[str, str]:
    """URL -> sha256 from the content of a lock; raises KopsError for anything else. source: for messages."""
    try:
        return {str(entry["url"]): str(entry["sha256"]) for entry in read_plain(text, source)["files"]}
    except (KeyError, TypeError) as error:
        raise KopsError(f"{source}: must contain files, a list of url and sha256") from error


def files_in_repository(repository: str, tag: str, directory: str, names: Sequence[str]) -> list[str]:
    """URLs of files below a directory of a repository on GitHub, as they are at a tag."""
    return [f"https://raw.githubusercontent.com/{repository}/{tag}/{directory}/{name}" for name in names]


def file_of_release(repository: str, tag: str, name: str) -> str:
    """URL of a file that is attached to a release on GitHub."""
    return f"https://github.com/{repository}/releases/download/{tag}/{name}"
