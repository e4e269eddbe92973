# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the state store as resources of Terraform: the kinds of stores that it can write, a row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...api.clouds import AWS, GCE
from ...api.terraform_providers import PROVIDERS, TerraformProvider
from ...base.errors import KopsError

if TYPE_CHECKING:
    from ...engine.targets.terraform import TerraformTarget
    from ...statestore.vfs.gs import GSPath
    from ...statestore.vfs.path import VFSPath
    from ...statestore.vfs.s3 import S3Path


@dataclass(frozen=True)
class Row:
    """A kind of store.

    resource: type of the resource that is a file of it. content: its argument that takes the content.
    arguments: gives the others for a path, and whether everybody may read the file.
    provider: of Terraform, which has the resource. of_provider: gives the arguments of its block for a path.
    public: whether it can let everybody read the file.
    Paths are of the class that statestore/vfs/ has for the scheme.
    """

    resource: str
    arguments: Callable[[Any, bool], Mapping[str, Any]]
    provider: TerraformProvider
    of_provider: Callable[[Any], Mapping[str, str]]
    content: str = "content"
    public: bool = True


def _s3_object(path: S3Path, public: bool) -> dict[str, Any]:
    return {
        "acl": path.acl(public),
        "bucket": path.bucket.name,
        "key": path.key,
        "server_side_encryption": path.server_side_encryption,
    }


def _region(path: S3Path) -> dict[str, str]:
    return {"region": path.region}


def _gs_object(path: GSPath, _public: bool) -> dict[str, Any]:
    return {"bucket": path.bucket.name, "name": path.key}


def _nothing(_path: GSPath) -> dict[str, str]:
    return {}


# By the scheme of the store's address. A store that is not here is written by the update itself, under every target.
STORES = {
    "s3": Row("aws_s3_object", _s3_object, PROVIDERS[AWS], _region),
    # Who may read is said by another resource, or by the bucket.
    "gs": Row("google_storage_bucket_object", _gs_object, PROVIDERS[GCE], _nothing, public=False),
}


def can_write(path: VFSPath, public: bool) -> bool:
    """Whether Terraform can write a file of this store. public: everybody may read it."""
    row = STORES.get(path.scheme)
    return row is not None and (row.public or not public)


def add_file(target: TerraformTarget, name: str, path: VFSPath, data: bytes, public: bool) -> None:
    """Add a file to a configuration; raises KopsError when Terraform cannot write its store.

    name: of the resource. public: whether everybody may read the file.
    """
    if not can_write(path, public):
        stores = ", ".join(f"{scheme}://" for scheme in STORES)
        raise KopsError(f"Terraform cannot write {path}: it writes to state stores of {stores} only")
    row = STORES[path.scheme]
    content = target.file(row.resource, name, row.content, data)
    provider = target.files_provider(row.provider, row.of_provider(path))
    target.resource(row.resource, name, {**row.arguments(path, public), row.content: content, "provider": provider})
