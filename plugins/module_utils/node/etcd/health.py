# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an etcd cluster can do without one of its members for a while: all others have to be healthy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from .client import EtcdClient, EtcdError, Member
from .manifest import LocalMember

_TIMEOUT = 5.0
_PAUSE = 2.0


def unhealthy(local: LocalMember, stopping: str, root: str = "/") -> list[str]:
    """What is wrong with the members of an etcd cluster, except for the one that is about to be stopped, as sentences.

    local: a member on this host, whose certificate is used. stopping: name of the member to stop. A cluster with no
    other member can never spare it, and has nothing to be asked. root: "/", except in tests.
    """
    client = local.client(root, timeout=_TIMEOUT)
    try:
        others = [member for member in client.members() if member.name != stopping]
        alarms = client.alarms() if others else []
        found = [f"the alarm {alarm} is set" for alarm in alarms]
        found += [f"{_title(member)}: {why}" for member in others if (why := _illness(client, member))]
    except EtcdError as error:
        found = [str(error)]
    return [f"etcd cluster {local.etcd}: {each}" for each in found]


def await_healthy(check: Callable[[], Sequence[str]], wait: float) -> list[str]:
    """Repeat a check until it finds nothing, or for so many seconds. Returns what it found last."""
    end = time.monotonic() + wait
    while True:
        found = list(check())
        if not found or time.monotonic() + _PAUSE > end:
            return found
        time.sleep(_PAUSE)


def _illness(client: EtcdClient, member: Member) -> str:
    """What is wrong with a member; "" for nothing."""
    if not member.client_urls:
        return "it has not started yet"
    if member.learner:
        return "it has no vote yet, because it does not have all data"
    try:
        # A linearizable read: the member is in touch with the leader and has all that a majority has.
        client.at(member.client_urls, _TIMEOUT).catch_up()
    except EtcdError as error:
        return str(error)
    return ""


def _title(member: Member) -> str:
    return f"member {member.name or '(without a name)'} ({', '.join(member.peer_urls)})"
