# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listing of the state store, read once for all tasks that keep something in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...statestore.vfs.open import open_path

if TYPE_CHECKING:
    from ...statestore.vfs.path import Listed, Tree
    from ..reads import Reads

STORE = "store"


def want_listing(cloud: Reads, base: str) -> None:
    """Announce a directory, by its URL, of which the listing will be asked for."""
    cloud.want(STORE, base.rstrip("/"))


def know_tree(cloud: Reads, tree: Tree) -> None:
    """Use a listing that there is already."""
    want_listing(cloud, tree.root.path)
    cloud.know({file.name: file for file in tree.files}, _listing, tree.root.path)


def listed(cloud: Reads, base: str, location: str) -> Listed | None:
    """The file at a place below an announced directory; None when there is none.

    A directory below another announced one is not listed by itself: the cluster's directory holds most of them.
    """
    url = f"{base.rstrip('/')}/{location}"
    root = min((known for known in cloud.wanted(STORE) if url.startswith(f"{known}/")), key=len)
    found: dict[str, Listed] = cloud.once(_listing, root)
    return found.get(url[len(root) + 1 :])


def below(cloud: Reads, base: str, directory: str) -> dict[str, Listed]:
    """The files of a directory below an announced one, by their paths from that."""
    url = f"{base.rstrip('/')}/{directory}/"
    root = min((known for known in cloud.wanted(STORE) if url.startswith(f"{known}/")), key=len)
    found: dict[str, Listed] = cloud.once(_listing, root)
    above = f"{base.rstrip('/')}/"[len(root) + 1 :]
    wanted = f"{above}{directory}/"
    return {name[len(above) :]: file for name, file in found.items() if name.startswith(wanted)}


def _listing(_cloud: Reads, root: str) -> dict[str, Listed]:
    return {file.name: file for file in open_path(root).list_tree()}
