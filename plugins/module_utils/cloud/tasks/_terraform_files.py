# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the state store as resources of Terraform: the kinds of stores that it can write, a row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...api.clouds import AWS
from ...api.terraform_providers import PROVIDERS
from ...base.errors import KopsError

if TYPE_CHECKING:
    from ...engine.targets.terraform import TerraformTarget
    from ...statestore.vfs.path import VFSPath
    from ...statestore.vfs.s3 import S3Path


def _s3_object(target: TerraformTarget, name: str, path: S3Path, data: bytes, public: bool) -> None:
    target.resource(
        "aws_s3_object",
        name,
        {
            "acl": path.acl(public),
            "bucket": path.bucket.name,
            "content": target.file("aws_s3_object", name, "content", data),
            "key": path.key,
            "provider": target.files_provider(PROVIDERS[AWS], {"region": path.region}),
            "server_side_encryption": path.server_side_encryption,
        },
    )


# Scheme of the store's address -> what adds the resource of a file, whose path is of that scheme's class.
RESOURCES: dict[str, Callable[..., None]] = {"s3": _s3_object}


def can_write(path: VFSPath) -> bool:
    """Whether Terraform can write a file of this store."""
    return path.scheme in RESOURCES


def add_file(target: TerraformTarget, name: str, path: VFSPath, data: bytes, public: bool) -> None:
    """Add a file to a configuration; raises KopsError when Terraform cannot write its store.

    name: of the resource. public: whether everybody may read the file.
    """
    if not can_write(path):
        stores = ", ".join(f"{scheme}://" for scheme in RESOURCES)
        raise KopsError(f"Terraform cannot write {path}: it writes to state stores of {stores} only")
    RESOURCES[path.scheme](target, name, path, data, public)
