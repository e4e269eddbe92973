# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates of a stack in the state store, where CloudFormation reads those that a request cannot hold."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...base.errors import KopsError
from ...cloud.stacks import Stacks, Text
from ...engine.targets.cloudformation import NAME
from ...engine.targets.template_parts import Parts
from ...statestore.vfs.path import VFSPath
from ...statestore.vfs.public_urls import public_url
from ...statestore.vfs.s3 import S3Path
from ..update.desired import Desired
from .template_files import as_text, file_of

# Below the cluster's directory; that of parts holds nothing else.
_ROOT, _PARTS = "manifests/cloudformation.yaml", "manifests/cloudformation"


@dataclass(frozen=True)
class StackTemplates:
    """How CloudFormation gets a template.

    place: where it reads one that a request cannot hold. parts: its parts, by the names of their files in directory.
    Names of parts say what is in them, so that another part makes another root, and those of before are still there
    when CloudFormation undoes a change.
    """

    text: Text
    place: VFSPath
    directory: VFSPath
    parts: Mapping[str, bytes]

    def store(self) -> None:
        """Write what CloudFormation reads."""
        there = {file.name for file in self.directory.list_tree()} if self.parts else ()
        for name, content in self.parts.items():
            if name not in there:
                self.directory.join(name).write(content)
        if self.text.url:
            self.place.write(self.text.content.encode())

    def remove_all(self) -> None:
        """Remove them, as there is no stack any more."""
        self.directory.remove_many([file.path for file in self.directory.list_tree()])
        if self.text.url:
            self.place.remove()

    def remove_others(self) -> None:
        """Remove parts that nothing refers to any more."""
        others = [file.path for file in self.directory.list_tree() if file.name not in self.parts]
        self.directory.remove_many(others)


def stack_templates(store: VFSPath, found: Parts, largest: int) -> StackTemplates:
    """Those of a template. Raises KopsError if CloudFormation cannot read them.

    store: the cluster's directory. largest: bytes that a request can hold.
    """
    contents = {part: as_text(each) for part, each in found.parts.items()}
    names = {part: _named(file_of(part), content) for part, content in contents.items()}
    directory, place = store.join(_PARTS), store.join(_ROOT)
    root = as_text(found.linked({part: _url(directory.join(name)) for part, name in names.items()}))
    text = Text(root.decode(), _url(place) if len(root) > largest else "", has_parts=bool(names))
    return StackTemplates(text, place, directory, {names[part]: contents[part] for part in names})


def _named(file: str, content: bytes) -> str:
    name, extension = file.rsplit(".", 1)
    return f"{name}-{hashlib.sha256(content).hexdigest()[:16]}.{extension}"


def _url(place: VFSPath) -> str:
    url = public_url(place.path, region=place.region) if isinstance(place, S3Path) else ""
    if not url:
        raise KopsError(
            f"the template is too large for a request, and CloudFormation does not read {place.path}; keep the state in"
            " s3://"
        )
    return url


def stacks_of(desired: Desired) -> Stacks[Any]:
    """The stacks of the cluster's cloud. Raises KopsError where there are none."""
    stacks = desired.provider.stacks
    if stacks is None:
        raise KopsError(f"target {NAME} is for AWS")
    return stacks
