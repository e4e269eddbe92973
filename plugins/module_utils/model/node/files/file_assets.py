# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that the user gives, of the group before those of the cluster (file_assets.go of nodeup)."""

from __future__ import annotations

import base64
import posixpath

from ....api.common import FileAssetSpec
from ....api.instance_group import MASTER
from ..context import SRV, NodeContext
from ..draft import Draft

_DIRECTORY = f"{SRV}/assets"
_MODE = "0440"
_KEYS = {"path": "path", "mode": "mode", "content": "content"}


def build(context: NodeContext, draft: Draft) -> None:
    """Each file of the role; one of the group stands for the cluster's of the same path."""
    draft.directory(_DIRECTORY)
    taken: dict[str, str] = {}
    for level, name in ((context.group, str(context.group.metadata.name)), (context.cluster, "")):
        for index, asset in enumerate(level.spec.file_assets):
            if (asset.roles and context.role not in map(_role, asset.roles)) or not (asset.path or asset.name):
                continue
            path, asked = asset.path or f"{_DIRECTORY}/{asset.name}", f"spec.fileAssets[{index}]"
            if path not in taken:
                taken[path] = name
                with draft.asked_by(asked, name, _KEYS):
                    if path.endswith("/"):
                        draft.refuse(f"{path!r} is a directory; a file asset is a file", "path")
                    try:
                        _add(draft, path, asset)
                    except ValueError:
                        draft.refuse("is not text in base64", "content")
            elif taken[path] == name:
                with draft.asked_by(asked, name, _KEYS):
                    draft.refuse(f"{path!r} is the path of another file asset", "path")


def _add(draft: Draft, path: str, asset: FileAssetSpec) -> None:
    # The schema refuses any other path, once and not for its directory as well.
    directory = posixpath.dirname(path)
    if path.startswith("/") and posixpath.normpath(path) == path and directory != "/":
        draft.directory(directory)
    # What users put here may well be a credential. kops reads a mode as a number, with any zeros before it.
    draft.file(path, _content(asset), (asset.mode or _MODE).lstrip("0").rjust(4, "0"), secret=True)


def _content(asset: FileAssetSpec) -> str:
    if not asset.is_base64:
        return asset.content or ""
    # kops takes it without padding.
    text = (asset.content or "").rstrip("=")
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode()


def _role(name: str) -> str:
    """Kops' versions of the API translate this name in hooks only, so that such a file would be on no node."""
    return "ControlPlane" if name == MASTER else name
