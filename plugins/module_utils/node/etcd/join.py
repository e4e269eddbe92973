# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last step of a member that joins a cluster: once it has all data, it gets its vote.

It goes together with waiting for the host, as an API server beside a member without a vote cannot be healthy.
"""

from __future__ import annotations

import os

from ...base.errors import KopsError
from ..host import last_lines
from .client import EtcdClient, EtcdError
from .manifest import LocalMember, has_data, in_root, local_members

# Seconds for which a member may lack its vote.
PROMOTION_SECONDS = 300
_LINES, _TAIL = 15, 64 * 1024


class Joining:
    """The host's members that joined a running cluster, and may have no vote yet; one that has costs one question.

    waiting: why members have none yet, by etcd cluster; all of them at first.
    """

    def __init__(self, root: str = "/") -> None:
        self._root = root
        self._members = {name: each for name, each in local_members(root).items() if each.initial_state == "existing"}
        self.waiting = dict.fromkeys(self._members, "")

    def advance(self) -> None:
        """Let those vote that can. Raises KopsError for one that is no member."""
        for etcd in list(self.waiting):
            try:
                reason = self._promote(self._members[etcd])
            except EtcdError as error:
                reason = str(error)
            if reason:
                self.waiting[etcd] = reason
            else:
                del self.waiting[etcd]

    def give_up(self) -> list[str]:
        """Wait for none any more; what to tell of those that have no vote, with the ends of their logs."""
        told = [
            f"member {self._members[etcd].name} of the etcd cluster {etcd} has no vote after {PROMOTION_SECONDS} s: "
            f"{reason}{_log(self._members[etcd], self._root)}"
            for etcd, reason in self.waiting.items()
        ]
        self.waiting = {}
        return told

    def _promote(self, local: LocalMember) -> str:
        """Why the member has no vote yet; "" if it has."""
        # The others first: one without a vote does not know much. Itself, too, as the others may have moved since.
        client = EtcdClient([*local.endpoints()[1:], local.local_endpoint()], local.tls(self._root))
        members = client.members()
        mine = next((each for each in members if set(each.peer_urls) & set(local.peer_urls)), None)
        if mine is None:
            raise KopsError(
                f"member {local.name} ({', '.join(local.peer_urls)}) is none that the etcd cluster {local.etcd} knows "
                f"({', '.join(each.name for each in members)}); add it first (kubeops.kops.etcd_member), "
                "and if it was one before, its data have to go"
            )
        if not mine.learner:
            return ""
        if not mine.name or not has_data(self._root, local.data):
            return "it has not started yet"
        client.promote(mine)
        return ""


def _log(local: LocalMember, root: str) -> str:
    files = [each for each in local.options.get("log-outputs", "").split(",") if each.startswith("/")]
    try:
        with open(in_root(root, files[0]), "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _TAIL))
            return f"\nits log ends:\n{last_lines(stream.read().decode(errors='replace'), _LINES)}"
    except (OSError, IndexError):
        return ""
