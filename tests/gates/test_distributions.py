# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/distributions.md has the table of distributions as nodes use it, and says of each how it was shown.

KOPS_WRITE_DISTRIBUTIONS=1 writes the table into the page.
"""

from __future__ import annotations

import os
import re

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import (
    DISTRIBUTIONS,
    FAMILIES,
    Distribution,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.apply.packages import MANAGERS
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.lab import distributions, package_managers

PAGE = ROOT / "docs" / "distributions.md"
BEGIN, END = "<!-- the table of distributions -->\n", "<!-- its end -->\n"
HEAD = ("Distribution", "`os-release`", "Installed by", "Packages", "Programs", "kube-proxy's default", "Shown by")
HOST, MANAGER, TABLE = "host", "package manager", "table"


def shown(row: Distribution) -> str:
    """By which tests."""
    if row.name in distributions.DISTRIBUTIONS:
        return HOST
    return MANAGER if row.name in package_managers.CLAIMED else TABLE


def line(row: Distribution) -> str:
    """A distribution's line of the table."""
    family = FAMILIES[row.family]
    needed = ", ".join(f"`{name}`" for name in (*family.packages, *row.packages)) or "none can be installed"
    mode = "nftables" if "nftables" in row.traits else "iptables"
    cells = (
        f"{row.title} {row.version}".strip(),
        f"`{row.name}`",
        row.package_manager or "-",
        needed,
        f"`{row.binaries}`",
        mode,
        shown(row),
    )
    return f"| {' | '.join(cells)} |\n"


def table() -> str:
    """The whole table."""
    rows = sorted(DISTRIBUTIONS, key=lambda row: (row.title.lower(), [float(row.version or 0)]))
    return f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}\n" + "".join(map(line, rows))


def test_the_page_has_the_table() -> None:
    text = PAGE.read_text()
    before, begin, rest = text.partition(BEGIN)
    present, end, after = rest.partition(END)
    assert begin and end, f"{PAGE.name} needs the marks {BEGIN!r} and {END!r}"
    if os.environ.get("KOPS_WRITE_DISTRIBUTIONS"):
        PAGE.write_text(f"{before}{BEGIN}{table()}{END}{after}")
        present = table()
    assert present == table(), "KOPS_WRITE_DISTRIBUTIONS=1 writes the table"


def test_the_page_says_what_each_kind_of_proof_means() -> None:
    text = PAGE.read_text()
    for kind in (HOST, MANAGER, TABLE):
        assert re.search(rf"^- \*\*{kind}\*\*: ", text, re.MULTILINE), kind


def test_every_row_can_be_used() -> None:
    names = [row.name for row in DISTRIBUTIONS]
    assert len(set(names)) == len(names)
    for row in DISTRIBUTIONS:
        assert row.family in FAMILIES
        assert row.package_manager in (*MANAGERS, "")
        assert not row.packages or row.package_manager, f"{row.name} has packages that nothing installs"
        assert not set(row.packages) & set(FAMILIES[row.family].packages), row.name


def test_what_is_shown_is_in_the_table() -> None:
    names = {row.name for row in DISTRIBUTIONS}
    assert names >= {*distributions.DISTRIBUTIONS, *package_managers.CLAIMED}
    for name, (identity, version) in package_managers.CLAIMED.items():
        assert f"{identity}-{version}".startswith(name)
