# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the collection computes once in a process, shared by all that are forked from one that imports this.

These are the shapes of its types, conversions between versions and the nodes' program: they depend on its code alone.
"""

from __future__ import annotations

import collections
import importlib
import pathlib

from ansible_collections.kubeops.kops.plugins.module_utils.api import codec

from .effects import outcome
from .effects_cases import LABORATORIES

_PACKAGE = "ansible_collections.kubeops.kops"
_ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(kind: str) -> None:
    """Import all files below a folder of plugins, also those that are only imported late.

    Ansible compiles each file of a collection again in each process.
    """
    for path in sorted((_ROOT / "plugins" / kind).rglob("*.py")):
        if path.stem != "__init__":
            importlib.import_module(".".join((_PACKAGE, *path.relative_to(_ROOT).with_suffix("").parts)))


# What is for the controller alone is not: modules would take themselves to be there.
load("module_utils")
for _laboratory in LABORATORIES.values():
    collections.deque(outcome([codec.copy(each) for each in _laboratory.objects]), maxlen=0)
