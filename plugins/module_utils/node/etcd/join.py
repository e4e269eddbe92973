# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last step of joining an etcd cluster: a learner that has all data is promoted to a voter.

This happens during the health checks: an API server is not healthy while the etcd member beside it is a learner.
"""

from __future__ import annotations

import os

from ...base.errors import KopsError
from ..system.host import last_lines
from .client import EtcdError
from .manifest import LocalMember, has_data, in_root, local_members

# Seconds until a learner must be promoted.
PROMOTION_SECONDS = 300
_LINES, _TAIL = 15, 64 * 1024


class Joining:
    """The members of this host that may still be learners. If they are not, it costs one request each.

    waiting: etcd cluster -> why its member is not a voter yet. At first: all members.
    """

    def __init__(self, root: str = "/") -> None:
        self._root = root
        self._members = {name: each for name, each in local_members(root).items() if each.initial_state == "existing"}
        self.waiting = dict.fromkeys(self._members, "")

    def advance(self) -> None:
        """Promote the members that are ready. Raises KopsError for a member that the cluster does not know."""
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
        """Stop waiting. Returns a message for each member that is still a learner, with the end of its log."""
        told = [
            f"member {self._members[etcd].name} of etcd cluster {etcd} is not a voter after {PROMOTION_SECONDS} s: "
            f"{reason}{_log(self._members[etcd], self._root)}"
            for etcd, reason in self.waiting.items()
        ]
        self.waiting = {}
        return told

    def _promote(self, local: LocalMember) -> str:
        """Why the member is not a voter yet; "" if it is."""
        # Ask the other members first, since a learner knows little. Also ask itself, as the others may have moved.
        client = local.client(self._root).at([*local.endpoints()[1:], local.local_endpoint()])
        members = client.members()
        mine = next((each for each in members if set(each.peer_urls) & set(local.peer_urls)), None)
        if mine is None:
            raise KopsError(
                f"etcd cluster {local.etcd} has no member {local.name} ({', '.join(local.peer_urls)}); it has "
                f"{', '.join(each.name for each in members)}. Add it first (kubeops.kops.etcd_member); "
                "if it was a member before, its data must be removed, or its volume replaced by an empty one"
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
