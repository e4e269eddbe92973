# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Return values that several modules have: written once, in a doc fragment, and from there into each module.

Ansible's fragments have options only, so a module must say all that it returns by itself. A fragment may have a text
RETURN besides DOCUMENTATION. A line like MARK in the RETURN of a module stands for that text: what follows, up to the
next mark or the end, is the fragment's. What a module returns alone comes before the first mark.
"""

from __future__ import annotations

import importlib
import pathlib
import re

from ansible_collections.kubeops.kops.tests.conftest import ROOT

MARK = "# From plugins/doc_fragments/{fragment}.py, by script/module-docs:"
_MARKS = re.compile("^" + MARK.format(fragment=r"(\w+)") + "\n", re.MULTILINE)
_RETURN = re.compile(r'(?<=^RETURN = r"""\n).*?(?=^""")', re.MULTILINE | re.DOTALL)


def outdated() -> dict[pathlib.Path, str]:
    """The modules whose return values are not as their fragments say, and what the files should be."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "plugins" / "modules").glob("*.py"))}
    wanted = {path: with_returns(text) for path, text in texts.items()}
    return {path: text for path, text in wanted.items() if text != texts[path]}


def with_returns(module: str) -> str:
    """The text of a module whose marks are followed by the return values of the fragments."""
    return _RETURN.sub(lambda found: _filled(found[0]), module)


def own_returns(module: str) -> str:
    """The return values that a module does not take from a fragment, as YAML."""
    found = _RETURN.search(module)
    return _MARKS.split(found[0])[0] if found else ""


def _filled(returns: str) -> str:
    own, *parts = _MARKS.split(returns)
    return own + "".join(MARK.format(fragment=name) + "\n" + _values(name) for name in parts[::2])


def _values(fragment: str) -> str:
    """What a fragment says of return values. AttributeError: it says nothing of them."""
    path = f"ansible_collections.kubeops.kops.plugins.doc_fragments.{fragment}"
    values: str = importlib.import_module(path).ModuleDocFragment.RETURN
    return values.removeprefix("\n")
