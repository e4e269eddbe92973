# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the site of the documentation: docs/ and the pages of modules. Every warning is an error."""

from __future__ import annotations

import argparse
import pathlib
import shutil
import sys

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.site import sources
from sphinx.cmd.build import build_main


def build(output: pathlib.Path) -> int:
    """Write the site to a folder; returns Sphinx' exit code. What has not changed since the last time is kept."""
    source, read = output / ".sources", output / ".doctrees"
    sources.write(source)
    options = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "--jobs", "2"]
    code = build_main([*options, "-b", "html", "-d", str(read), str(source), str(output / "html")])
    if code:
        # Pages that were read are not warned of again.
        shutil.rmtree(read, ignore_errors=True)
    return code


def main() -> int:
    """The command line. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="script/docs", description=__doc__)
    default = ROOT / "build" / "site"
    parser.add_argument("--output", type=pathlib.Path, default=default, help="folder of the site (default: build/site)")
    output = parser.parse_args().output.resolve()
    code = build(output)
    print("script/docs: there are warnings" if code else f"script/docs: {output / 'html' / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
