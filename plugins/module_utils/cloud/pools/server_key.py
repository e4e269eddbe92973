# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key by which the servers of a cluster prove who they are (over_ssh.py), as the state store has it."""

from __future__ import annotations

from ...statestore.secrets import SERVER_KEY, Secrets
from ...statestore.vfs.open import open_path
from ..reads import Reads


def server_key(cloud: Reads, base: str) -> bytes:
    """The key; b"" while there is none. base: URL of the cluster's secrets. It is read once."""
    key = cloud.once(_read, base)
    if not key:
        # The update that asks makes it before the first server.
        cloud.forget(_read, base)
    return key


def _read(_cloud: Reads, base: str) -> bytes:
    return Secrets(open_path(base)).find(SERVER_KEY) or b""
