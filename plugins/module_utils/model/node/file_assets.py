# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that the user gives, of the group before those of the cluster (file_assets.go of nodeup)."""

from __future__ import annotations

import base64
import posixpath

from ...api.common import FileAssetSpec
from ...base.errors import KopsError
from .context import SRV, NodeContext
from .draft import Draft

_DIRECTORY = f"{SRV}/assets"
_MODE = "0440"


def build(context: NodeContext, draft: Draft) -> None:
    """Each file of the role; one of the group stands for the cluster's of the same path."""
    chosen: dict[str, FileAssetSpec] = {}
    for asset in (*context.group.spec.file_assets, *context.cluster.spec.file_assets):
        if not asset.roles or context.role in asset.roles:
            chosen.setdefault(asset.path or f"{_DIRECTORY}/{asset.name}", asset)
    draft.directory(_DIRECTORY)
    for path, asset in chosen.items():
        draft.directory(posixpath.dirname(path))
        # What users put here may well be a credential.
        draft.file(path, _content(asset), (asset.mode or _MODE).rjust(4, "0"), secret=True)


def _content(asset: FileAssetSpec) -> str:
    if not asset.is_base64:
        return asset.content or ""
    # kops takes it without padding.
    text = (asset.content or "").rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode()
    except ValueError:
        raise KopsError(f"fileAssets: the content of {asset.name or asset.path} is not text in base64") from None
