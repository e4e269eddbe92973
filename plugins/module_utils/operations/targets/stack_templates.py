# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates of a stack in the state store, where CloudFormation reads those that a request cannot hold."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from ...base.errors import KopsError
from ...cloud.stacks import Text
from ...engine.targets.template_parts import Parts
from ...statestore.vfs.path import VFSPath
from ...statestore.vfs.public_urls import public_url
from ...statestore.vfs.s3 import S3Path
from ..update.desired import Desired
from .cloudformation import as_text, file_of, stacks_of

# Below the cluster's directory; that of parts holds nothing else.
_ROOT, _PARTS = "manifests/cloudformation.yaml", "manifests/cloudformation"


@dataclass(frozen=True)
class StackTemplates:
    """How CloudFormation gets a template. files: what it reads, but the parts. parts: those, by their names.

    Names of parts say what is in them, so that another part makes another root, and those of before are still there
    when CloudFormation undoes a change.
    """

    text: Text
    files: Mapping[VFSPath, bytes]
    parts: Mapping[str, bytes]

    def store(self, desired: Desired) -> None:
        """Write what is not there yet."""
        directory = desired.store.path.join(_PARTS)
        there = {file.name for file in directory.list_tree()} if self.parts else ()
        for name, content in self.parts.items():
            if name not in there:
                directory.join(name).write(content)
        for path, content in self.files.items():
            path.write(content)

    def remove_all(self, desired: Desired) -> None:
        """Remove them, as there is no stack any more."""
        parts = desired.store.path.join(_PARTS).list_tree()
        desired.store.path.remove_many([*(path.path for path in self.files), *(file.path for file in parts)])

    def remove_others(self, desired: Desired) -> None:
        """Remove parts that nothing refers to any more."""
        directory = desired.store.path.join(_PARTS)
        directory.remove_many([file.path for file in directory.list_tree() if file.name not in self.parts])


def stack_templates(desired: Desired, found: Parts) -> StackTemplates:
    """Those of a template. Raises KopsError if CloudFormation cannot read them."""
    contents = {part: as_text(each) for part, each in found.parts.items()}
    names = {part: _named(file_of(part), content) for part, content in contents.items()}
    directory, place = (desired.store.path.join(each) for each in (_PARTS, _ROOT))
    root = as_text(found.linked({part: _url(directory.join(name)) for part, name in names.items()}))
    is_large = len(root) > stacks_of(desired).largest
    text = Text(root.decode(), _url(place) if is_large else "", has_parts=bool(names))
    return StackTemplates(text, {place: root} if is_large else {}, {names[part]: contents[part] for part in names})


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
