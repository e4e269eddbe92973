# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last step of a member that joins a cluster: once it has all data, it gets its vote.

It has to come before the host is waited for, as an API server beside a member without a vote cannot be healthy.
"""

from __future__ import annotations

import os
import time

from .errors import NodeError
from .etcd import EtcdClient, EtcdError
from .etcd_manifest import LocalMember, has_data, in_root, local_members
from .host import last_lines

PATIENCE = 300.0
_PAUSE = 0.5
_LINES, _TAIL = 15, 64 * 1024


def promote_members(root: str = "/", patience: float = PATIENCE) -> list[str]:
    """Let this host's members vote that joined a running cluster; waits until they have all data.

    Returns the etcd clusters in which one got its vote now; a member that votes costs one question.
    Raises NodeError: with the end of the member's log when it does not get so far, or when it is no member.
    """
    joined = [member for member in local_members(root).values() if member.initial_state == "existing"]
    return [member.etcd for member in joined if _promote(member, root, time.monotonic() + patience)]


def _promote(local: LocalMember, root: str, deadline: float) -> bool:
    # The others first: one without a vote does not know much. Itself, too, as the others may have moved since.
    client = EtcdClient([*local.endpoints()[1:], local.local_endpoint()], local.tls(root))
    while True:
        try:
            members = client.members()
            mine = next((each for each in members if set(each.peer_urls) & set(local.peer_urls)), None)
            if mine is None:
                break
            if not mine.learner:
                return False
            if mine.name and has_data(root, local.data):
                client.promote(mine)
                return True
            reason = "it has not started yet"
        except EtcdError as error:
            reason = str(error)
        if time.monotonic() >= deadline:
            raise NodeError(
                f"member {local.name} of the etcd cluster {local.etcd} has no vote yet: {reason}{_log(local, root)}"
            )
        time.sleep(_PAUSE)
    raise NodeError(
        f"member {local.name} ({', '.join(local.peer_urls)}) is none that the etcd cluster {local.etcd} knows "
        f"({', '.join(each.name for each in members)}); add it first (kubeops.kops.etcd_member), "
        "and if it was one before, its data have to go"
    )


def _log(local: LocalMember, root: str) -> str:
    files = [each for each in local.options.get("log-outputs", "").split(",") if each.startswith("/")]
    try:
        with open(in_root(root, files[0]), "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _TAIL))
            return f"\nits log ends:\n{last_lines(stream.read().decode(errors='replace'), _LINES)}"
    except (OSError, IndexError):
        return ""
