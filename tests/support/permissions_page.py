# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a page with permissions: which playbooks need which documents."""

from __future__ import annotations

import re
from pathlib import Path


def playbooks_and_documents(page: Path) -> tuple[list[str], set[str]]:
    """The playbooks that the table names, sorted, and the documents of the page's directory that it links."""
    rows = re.findall(r"^\| (`.*`) \| (.*) \|$", page.read_text(), re.MULTILINE)
    playbooks = sorted(name for names, _cell in rows for name in re.findall(r"`(\w+)`", names))
    link = re.compile(rf"{re.escape(page.stem)}/([\w-]+)\.\w+\)")
    return playbooks, {name for _names, cell in rows for name in link.findall(cell)}
