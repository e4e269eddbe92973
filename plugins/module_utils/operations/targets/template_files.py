# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates of CloudFormation as files: their text, and a directory that has them."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from typing import Any

from ...api.yaml.write import dump_plain
from ...base.errors import KopsError
from ...cloud.stacks import read_template
from ...engine.targets.cloudformation import TooLarge
from ...engine.targets.files import read_file
from ...engine.targets.template_parts import PART, Parts, parts_in

TEMPLATE = "cloudformation.yaml"
# docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html: from a bucket.
_LARGEST_TEMPLATE = 1_000_000


def as_text(template: Mapping[str, Any]) -> bytes:
    """A template as it is written. Raises TooLarge."""
    content = dump_plain(template).encode()
    if len(content) > _LARGEST_TEMPLATE:
        raise TooLarge(len(content), "bytes", _LARGEST_TEMPLATE)
    return content


def size_of(template: Mapping[str, Any]) -> int:
    """The bytes of a template, or of a part of one."""
    return len(dump_plain(template).encode())


def file_of(part: str) -> str:
    """The file with a part, by its id in the template."""
    number = part.removeprefix(PART)
    return f"cloudformation-{PART.lower()}-{number}.yaml"


def is_part(file: str) -> bool:
    """Whether a file has the name of one with a part."""
    return bool(re.fullmatch(rf"cloudformation-{PART.lower()}-[0-9]+\.yaml", file))


def held_in(directory: str) -> Parts | None:
    """The template in a directory. Raises KopsError for one without its parts: which groups are there is not known."""
    content = read_file(os.path.join(directory, TEMPLATE))
    if content is None:
        return None
    root, parts = _read(content, TEMPLATE), {}
    for part in parts_in(root):
        name = file_of(part)
        text = read_file(os.path.join(directory, name))
        if text is None:
            raise KopsError(
                f"{directory} has {TEMPLATE} without its part {name}, so it is not known which groups are in that."
                f" Bring it back, or remove {TEMPLATE}, too. Nothing was written"
            )
        parts[part] = _read(text, name)
    return Parts(root, parts)


@functools.lru_cache(maxsize=16)
def _read(content: bytes, source: str) -> Any:
    """A template that a run asks for several times, and reading megabytes takes seconds. Nobody changes it."""
    return read_template(content, source)
