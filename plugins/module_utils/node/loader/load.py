# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads the node program that boot.json names, verifies it, and becomes it.

User data contains this, with where to load from, in one file (model/loader_text.py). It runs at every boot, with any
Python from 3.9 on: LOADER BOOT-FILE [OPTIONS OF THE PROGRAM]
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

_PROGRAM = "kops-node"
_FIRST_PAUSE, _LAST_PAUSE = 1, 10


def run(fetch: Callable[[dict[str, Any]], bytes]) -> None:
    """Load the program unless it is there, and become it. Tries for ever, and says what it waits for.

    fetch: gives the program that the content of boot.json names.
    """
    loader, path, *options = sys.argv
    with open(path, encoding="utf-8") as stream:
        boot = json.load(stream)
    os.environ.update(boot.get("environment", {}))
    program = os.path.join(os.path.dirname(os.path.abspath(loader)), _PROGRAM)
    pause = _FIRST_PAUSE
    while True:
        try:
            _provide(program, boot["program"]["sha256"], lambda: fetch(boot))
            break
        except Exception as error:
            sys.stdout.write(f"kubeops: waiting for the node program: {error}; next try in {pause} s\n")
            sys.stdout.flush()
        time.sleep(pause)
        pause = min(pause * 2, _LAST_PAUSE)
    os.execv(sys.executable, [sys.executable, program, "boot", "--config", path, *options])  # noqa: S606


def _provide(program: str, wanted: str, fetch: Callable[[], bytes]) -> None:
    """The file appears under its name when it is whole and right."""
    if os.path.exists(program):
        with open(program, "rb") as stream:
            if hashlib.sha256(stream.read()).hexdigest() == wanted:
                return
    content = fetch()
    found = hashlib.sha256(content).hexdigest()
    if found != wanted:
        raise ValueError(f"what was loaded has the SHA-256 {found}, but must have {wanted}")
    with open(f"{program}.new", "wb") as stream:
        stream.write(content)
        os.fsync(stream.fileno())
    os.chmod(f"{program}.new", 0o755)  # noqa: S103 - a program
    os.replace(f"{program}.new", program)
