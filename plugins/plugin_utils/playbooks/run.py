# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks of the collection that a run of ansible-playbook consists of."""

from __future__ import annotations

import pathlib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import yaml
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks

_COLLECTION = "kubeops.kops."
_FOLDER = pathlib.Path(__file__).resolve().parents[3] / "playbooks"
_IMPORTS = ("import_playbook", "ansible.builtin.import_playbook", "ansible.legacy.import_playbook")
_SUFFIXES = (".yml", ".yaml")


def playbooks_of_run(arguments: Iterable[str]) -> frozenset[str] | None:
    """Playbooks on the command line, and playbooks that a user's own playbooks there import.

    None if there are also others: plays of a user's own, playbooks of other collections, or what cannot be told before
    Ansible runs. arguments: the playbooks of the command line, as paths or full names.
    """
    found: set[str] = set()
    seen: set[pathlib.Path] = set()
    for argument in arguments:
        if not _add(argument, pathlib.Path(), found, seen):
            return None
    return frozenset(found) or None


def _add(name: str, folder: pathlib.Path, found: set[str], seen: set[pathlib.Path]) -> bool:
    """Add what a playbook consists of; False if that is more than playbooks of the collection.

    folder: of the file that imports it.
    """
    short = name.removeprefix(_COLLECTION)
    if short != name:
        found.add(short)
        return short in playbooks()
    if "{{" in name or not name.endswith(_SUFFIXES):
        return False
    path = (folder / name).resolve()
    if path.parent == _FOLDER:
        found.add(path.stem)
        return path.stem in playbooks()
    if path in seen:
        return True
    seen.add(path)
    imports = _imports(path)
    return bool(imports) and all(_add(each, path.parent, found, seen) for each in imports)


def _imports(path: pathlib.Path) -> Collection[str]:
    """The playbooks that a file imports; empty if it has anything else, or cannot be read here."""
    try:
        with path.open(encoding="utf-8") as file:
            plays: Any = yaml.safe_load(file)
    except (OSError, UnicodeError, yaml.YAMLError):
        return ()
    names = [_import(play) for play in plays] if isinstance(plays, list) else []
    return names if all(names) else ()


def _import(play: Any) -> str:
    values = [play[key] for key in _IMPORTS if key in play] if isinstance(play, Mapping) else []
    return values[0] if len(values) == 1 and isinstance(values[0], str) else ""
