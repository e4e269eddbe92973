# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make docs/images/cluster-report.png: the report of a cluster with some problems, as Chromium shows it."""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile

from ansible_collections.kubeops.kops.plugins.plugin_utils import page
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support import reports
from ansible_collections.kubeops.kops.tests.support.browser import CHROMIUM, browse

FILE = ROOT / "docs" / "images" / "cluster-report.png"
_BARE = "--hide-scrollbars"
# A window of Chromium is not as narrow as a phone; a frame in it is.
_PHONE = '<!doctype html><body style="margin:0"><iframe src="page.html" style="width:390px;height:7000px;border:0">'


def main() -> int:
    """Write the picture; with --views also the whole page, that of a phone and that on paper."""
    parser = argparse.ArgumentParser(prog="script/report-picture", description=__doc__)
    parser.add_argument("--views", type=pathlib.Path, help="a directory for desktop.png, phone.png and paper.pdf")
    views = parser.parse_args().views
    if not CHROMIUM:
        print("there is no Chromium here", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as made:
        directory = pathlib.Path(made)
        (directory / "page.html").write_text(page.render(reports.ailing(), reports.GENERATED), encoding="utf-8")
        # Health, the numbers and the topology.
        browse(directory, _BARE, "--window-size=1280,2025", f"--screenshot={FILE}", "page.html")
        print(f"wrote {FILE}")
        if views:
            views.mkdir(parents=True, exist_ok=True)
            views = views.resolve()
            (directory / "phone.html").write_text(_PHONE, encoding="utf-8")
            browse(directory, _BARE, "--window-size=1280,4200", f"--screenshot={views / 'desktop.png'}", "page.html")
            browse(directory, _BARE, "--window-size=500,7000", f"--screenshot={views / 'phone.png'}", "phone.html")
            browse(directory, f"--print-to-pdf={views / 'paper.pdf'}", "--no-pdf-header-footer", "page.html")
            print(f"wrote {views}/desktop.png, phone.png, paper.pdf")
    return 0


if __name__ == "__main__":
    sys.exit(main())
