# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print how many commands the documentation has, which test types them, and why no test types the others."""

from __future__ import annotations

import argparse
from collections import Counter

from ansible_collections.kubeops.kops.tests.documented.runs import READER, Fate, fate_of
from ansible_collections.kubeops.kops.tests.documented.shell import commands

_CLASSES = ("typed by the reader", "typed by other tests", "typed by no test")


def _class_of(fate: Fate) -> str:
    if fate is READER:
        return _CLASSES[0]
    return _CLASSES[1 if fate.is_typed else 2]


def lines(*, with_commands: bool) -> list[str]:
    """The table; with_commands: and under each row the commands, with the line of their page."""
    counts = Counter(fate_of(command) for command in commands())
    made = [f"{counts.total()} commands"]
    for name in _CLASSES:
        fates = [fate for fate, _count in counts.most_common() if _class_of(fate) == name]
        made += ["", f"{sum(counts[fate] for fate in fates)} {name}"]
        for fate in fates:
            made.append(f"{counts[fate]:5}  {f'{fate.test}: ' if fate.test else ''}{fate.why}")
            if with_commands:
                made += [f"{'':9}{each.where}  {each}" for each in commands() if fate_of(each) == fate]
    return made


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(prog="script/documented-commands", description=__doc__)
    parser.add_argument("--all", action="store_true", help="show the commands, too")
    print("\n".join(lines(with_commands=parser.parse_args().all)))


if __name__ == "__main__":
    main()
