# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of addons that others publish: the definitions of kinds, which are too large to be made here, and channels."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from ..api.yaml.read import Document, read_documents, read_plain
from ..api.yaml.write import dump_plain
from ..base.errors import KopsError, ManifestError

DIRECTORY = "addons/upstream"
# Path below the cluster's directory: which content a URL had when it was first used.
LOCK = "addons/lock.yaml"
_SHA256 = re.compile("[0-9A-Fa-f]{64}")
NONE: Mapping[str, Any] = MappingProxyType({})
_DEFINITION, _API = "CustomResourceDefinition", "apiextensions.k8s.io/v1"


@dataclass(frozen=True)
class UpstreamFile:
    """A file: its publisher's URL, its content, and what counts of it: definitions of kinds, or other objects."""

    url: str
    data: bytes
    objects: Sequence[dict[str, Any]]

    @property
    def sha256(self) -> str:
        """Of its content, in hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def location(self) -> str:
        """Its path below the cluster's directory of the state store."""
        return location(self.sha256)


# A URL and its content -> the file. Raises KopsError with what is wrong with it.
Parse = Callable[[str, bytes], UpstreamFile]


class FilesError(KopsError):
    """Files that cannot be used. problems: a sentence about each; found: the other files, by their URLs."""

    def __init__(self, problems: Sequence[str], found: Mapping[str, UpstreamFile] = NONE) -> None:
        self.problems, self.found = sorted(problems), dict(found)
        lines = "\n".join(self.problems)
        super().__init__(f"files of addons cannot be used, so nothing is changed:\n{lines}")


def location(sha256: str) -> str:
    """Where the state store keeps the content with this checksum: a path below the cluster's directory."""
    return f"{DIRECTORY}/{sha256}.yaml"


def documents_of(url: str, data: bytes) -> list[Document]:
    """The documents of a file of YAML; raises KopsError for anything else."""
    if data.lstrip()[:1] == b"<":
        raise KopsError(f"{url}: an HTML page instead of YAML; is it the page of a proxy or of a login?")
    try:
        return read_documents(data, url)
    except ManifestError as error:
        raise KopsError(str(error)) from error


def parse(url: str, data: bytes) -> UpstreamFile:
    """A file with its definitions of kinds; raises KopsError if it has none, or is not YAML."""
    found = [document.data for document in documents_of(url, data) if _is_definition(document.data)]
    if not found:
        raise KopsError(f"{url}: contains no {_DEFINITION}")
    return UpstreamFile(url, data, found)


class ReadUpstream(Protocol):
    """Gives files by their URLs. hashes: URL -> what a channel says of a file's content (manifestHash).

    Raises FilesError with every file that is not to be had.
    """

    def __call__(
        self, urls: Sequence[str], parse: Parse = parse, hashes: Mapping[str, str] = NONE
    ) -> Mapping[str, UpstreamFile]:
        """The files, by their URLs."""


def is_checksum(said: str) -> bool:
    """Whether what a channel says of a file is a SHA-256; else it only tells versions apart, as any hash in kops."""
    return bool(_SHA256.fullmatch(said))


def has_hash(data: bytes, said: str) -> bool:
    """Whether content has the hash that a channel says, also without the blanks around it, as kops makes hashes.

    What is no checksum says nothing about the content.
    """
    return not is_checksum(said) or said.lower() in (hashlib.sha256(each).hexdigest() for each in (data, data.strip()))


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
