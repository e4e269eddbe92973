# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a program does not work, in a line: what it said last, out of the end of its log."""

from __future__ import annotations

import re

_LONGEST = 400
# A line of the journal (short-iso): time, host, program.
_OF_JOURNAL = re.compile(r"\d{4}-\d\d-\d\dT\S+ \S+ ([^\s\[:]+)(?:\[\d+\])?: ")
# What Kubernetes' programs put before a line: severity and day, time, thread, place in the source.
_OF_KLOG = re.compile(r"([IWEF])\d{4} [\d:.]+ +\d+ [^\s\]]+\] ")
_OF_FAILURE = re.compile(r"\b(error|err|failed|failure|fatal|panic|invalid|unknown|refused|denied)\b", re.IGNORECASE)
_MANAGER = "systemd"


def last_words(log: str) -> str:
    """The last line that tells of a failure, without what is before its text; else the last line; "" for an empty log.

    What systemd says of a unit that ends and starts again and again counts only if the program says nothing.
    """
    own: list[tuple[str, bool]] = []
    of_manager: list[tuple[str, bool]] = []
    for line in filter(None, map(str.strip, log.splitlines())):
        journal = _OF_JOURNAL.match(line)
        text = line[journal.end() :] if journal else line
        klog = _OF_KLOG.match(text)
        text, severity = (text[klog.end() :], klog.group(1)) if klog else (text, "")
        fails = severity in ("E", "F") or (severity == "" and _OF_FAILURE.search(text) is not None)
        (of_manager if journal and journal.group(1) == _MANAGER else own).append((text, fails))
    said = own or of_manager
    chosen = [text for text, fails in said if fails] or [text for text, _fails in said]
    return chosen[-1][:_LONGEST] if chosen else ""
