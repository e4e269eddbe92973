# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of nodes that know the bootstrap servers of their cluster, and read nothing of its store."""

from __future__ import annotations

from typing import Any

from ..bootstrap.connection import ask
from .load import run


def fetch(boot: dict[str, Any]) -> bytes:
    """The program. Raises OSError."""
    answer = ask(boot["servers"], "GET", f"/program/{boot['program']['sha256']}")
    if answer.status != 200:
        raise OSError(f"the bootstrap server answered {answer.status}")
    return answer.content


if __name__ == "__main__":
    run(fetch)
