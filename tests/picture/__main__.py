# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the parts of the code, by what they really import, into docs/images/architecture.svg."""

from __future__ import annotations

import argparse
import sys

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.picture.layers import layers_of
from ansible_collections.kubeops.kops.tests.picture.rooms import parts
from ansible_collections.kubeops.kops.tests.picture.svg import picture

FILE = ROOT / "docs" / "images" / "architecture.svg"


def drawn() -> str:
    """What the file has to hold."""
    found = parts()
    return picture(found, layers_of(found))


def main() -> int:
    """Write the picture if it differs; with --check only say so, and end with 1."""
    parser = argparse.ArgumentParser(prog="script/architecture-picture", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if the picture is another one")
    check = parser.parse_args().check
    text = drawn()
    differs = not FILE.exists() or FILE.read_text(encoding="utf-8") != text
    if differs:
        print(f"{'would write' if check else 'wrote'} {FILE}")
    if differs and not check:
        FILE.write_text(text, encoding="utf-8")
    return int(check and differs)


if __name__ == "__main__":
    sys.exit(main())
