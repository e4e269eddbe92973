# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of a cluster's servers."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.server_key import server_key
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.reads import Reads
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import SERVER_KEY, Secrets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path


def test_a_key_that_comes_later_is_seen_and_then_remembered(tmp_path: Path) -> None:
    """It is no error that it is not there: the update that asks makes it."""
    base, cloud = f"memfs://{tmp_path.name}/secrets", Reads()
    assert server_key(cloud, base) == b""
    Secrets(open_path(base)).store(SERVER_KEY, b"k" * 32)
    assert server_key(cloud, base) == b"k" * 32
    open_path(base).join(SERVER_KEY).remove()
    assert server_key(cloud, base) == b"k" * 32
