# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages as a browser shows them, without a network: a page that needs one looks broken."""

from __future__ import annotations

import html
import json
import pathlib
import re
import shutil
import subprocess
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-headless-shell", "google-chrome"))), "")
needs_browser = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here")
_USUAL = ("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--proxy-server=127.0.0.1:9")


def browse(directory: pathlib.Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run Chromium in a directory, with a profile of its own there. Files may look at each other."""
    profile = f"--user-data-dir={directory / 'profile'}"
    command = [CHROMIUM, *_USUAL, "--allow-file-access-from-files", profile, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, cwd=directory)


def found(done: subprocess.CompletedProcess[str]) -> Any:
    """The JSON that a script has left as the page's text, between the words found and end, with --dump-dom."""
    said = re.search(r"found ([\[{].*[\]}]) end", done.stdout, re.DOTALL)
    assert said, done.stdout[-2000:]
    return json.loads(html.unescape(said[1]))
