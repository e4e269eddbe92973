# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What there is on a host, to be compared with what there was."""

from __future__ import annotations

import pathlib

from ansible_collections.kubeops.kops.tests.lab import hosts

_SCRIPT = pathlib.Path(__file__).with_suffix(".sh")


def look(host: str) -> set[str]:
    """Files, units, mounts, interfaces, routes, rules for packets, processes."""
    return set(hosts.within(host, "sh", stdin=_SCRIPT.read_text()).splitlines())
