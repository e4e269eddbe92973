# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what playbooks/meta says of playbooks to their heads, to a task with many arguments, and to the docs."""

from __future__ import annotations

import argparse
import sys

from ansible_collections.kubeops.kops.tests.playbook_docs.documents import outdated


def main() -> int:
    """Write what differs; with --check only name it, and end with 1."""
    parser = argparse.ArgumentParser(prog="script/playbook-docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if anything would be written")
    check = parser.parse_args().check
    found = outdated()
    for path, text in found.items():
        print(f"{'would write' if check else 'wrote'} {path}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and bool(found))


if __name__ == "__main__":
    sys.exit(main())
