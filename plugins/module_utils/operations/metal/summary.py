# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Summary of a run on the hosts of a cluster, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...api.suggest import did_you_mean
from ...base.errors import KopsError

NEW, CHANGED, DEFERRED, UNCHANGED, FAILED, LEFT_OUT = "new", "changed", "deferred", "unchanged", "failed", "left_out"
# How a run has ended for a host -> what is said of it afterwards, and in check mode before; in this order.
_SAID = {
    NEW: ("are nodes now", "would become nodes"),
    CHANGED: ("changed", "would be changed"),
    DEFERRED: ("left to a rolling update", "would be left to a rolling update"),
    UNCHANGED: ("as they should be", "as they should be"),
    FAILED: ("failed", "failed"),
    LEFT_OUT: ("left out, because they cannot be reached", "left out, because they cannot be reached"),
}
# Of what is true of a host at the same time, the last one is said.
_PRECEDENCE = (FAILED, UNCHANGED, CHANGED, DEFERRED, NEW, LEFT_OUT)
# So many names are in a line.
_NAMED = 5


def line_of(ways: Mapping[str, Sequence[str]], *, check: bool) -> str:
    """The line; "" without hosts. ways: how the run has ended -> names of hosts; of several, the last one is said.

    Raises KopsError.
    """
    unknown = [way for way in ways if way not in _SAID]
    if unknown:
        raise KopsError(f"no run ends for a host as {unknown[0]!r}{did_you_mean(unknown[0], _SAID)}")
    ended = {name: way for way in _PRECEDENCE for name in ways.get(way, ())}
    hosts = {way: [name for name, how in ended.items() if how == way] for way in _SAID}
    parts = [f"{len(names)} {_SAID[way][check]}{_named(way, names)}" for way, names in hosts.items() if names]
    return f"hosts: {', '.join(parts)}" if parts else ""


def _named(way: str, names: list[str]) -> str:
    if way == UNCHANGED:
        return ""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f" ({', '.join(names[:_NAMED])}{more})"
