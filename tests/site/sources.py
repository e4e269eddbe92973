# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Sphinx reads: the pages of docs/ as they are, the pages of modules, and a menu from the lists of docs/index.md.

Only files that differ are written, so that Sphinx reads only these again.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.site.elsewhere import INVENTORY, inventory

DOCS = ROOT / "docs"
INDEX = "index.md"
# The folder of the pages that antsibull-docs writes.
MODULES = "modules"
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_CONTENTS = re.compile(rb"^\.\. contents::\n(?:   .*\n)*", re.MULTILINE)
_LINK = re.compile(r"\]\(([\w./-]+)\.md\)")


def sections() -> dict[str, list[str]]:
    """The sections of docs/index.md, each with the pages that its list links to, without their endings."""
    parts = _SECTION.split((DOCS / INDEX).read_text(encoding="utf-8"))[1:]
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for title, text in zip(parts[::2], parts[1::2]):
        # A page that several sections name is in the menu once.
        found[title] = [page for page in dict.fromkeys(_LINK.findall(text)) if page not in seen]
        seen.update(found[title])
    return found


def write(folder: pathlib.Path) -> None:
    """Make a folder hold all sources, and nothing else."""
    wanted = {str(path.relative_to(DOCS)): path.read_bytes() for path in DOCS.rglob("*") if path.is_file()}
    wanted[INDEX] += _menu().encode()
    wanted["conf.py"] = pathlib.Path(__file__).with_name("conf.py").read_bytes()
    wanted[INVENTORY] = inventory()
    wanted.update({f"{MODULES}/{name}": content for name, content in _modules().items()})
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if str(path.relative_to(folder)) not in wanted:
            path.unlink()
    for name, content in wanted.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _menu() -> str:
    trees = [
        "\n".join(("```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```"))
        for title, pages in {**sections(), "Modules, roles and plugins": [f"{MODULES}/index"]}.items()
        if pages
    ]
    return "\n" + "\n\n".join(trees) + "\n"


def _modules() -> dict[str, bytes]:
    """The pages of modules, plugins and roles, by antsibull-docs."""
    with tempfile.TemporaryDirectory() as directory:
        programs = pathlib.Path(sys.executable).parent
        command = (str(programs / "antsibull-docs"), "collection", "--use-current", "--squash-hierarchy")
        environment = {
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".venv" / "collections"),
            # It calls ansible-doc by its name.
            "PATH": os.pathsep.join((str(programs), os.environ.get("PATH", os.defpath))),
        }
        subprocess.run(
            [*command, "--fail-on-error", "--dest-dir", directory, "kubeops.kops"],
            check=True,
            env={**os.environ, **environment},
        )
        root = pathlib.Path(directory)
        files = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    # The theme shows the contents of each page beside it.
    return {name: _CONTENTS.sub(b"", text) if name.endswith(".rst") else text for name, text in files.items()}
