# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of the node program as one file of Python, which user data contains."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from ....api.cloud import Cloud
from .sources import imported, needed_source, stripped

if TYPE_CHECKING:
    # Ansible sends with a module what it imports. The loader of a cloud is imported by the cloud's model.
    from ....node.loader import from_servers  # noqa: F401

# Where workers load from, in any cloud.
FROM_SERVERS = "node/loader/from_servers"
_FUTURE = "from __future__ import annotations\n"
_RELATIVE = re.compile(r"^from \.[^\n(]*(\([^)]*\))?\n", re.MULTILINE)
_EMPTY = re.compile(r"^ *\n", re.MULTILINE)
# It stays where it is all that a function has.
_DOCSTRING = re.compile(r'^( *)""\n(?=\1\S)', re.MULTILINE)
_INDENTATION = re.compile(r"^(?: {4})+", re.MULTILINE)


def from_store(cloud: Cloud, scheme: str = "") -> str:
    """The module that loads from the store, for instances of a cloud that start nodes.

    scheme: of the store's URL; another one than the cloud's own has a module of its own if nodes of the cloud read it.
    A cloud without a store of its own has one module.
    """
    own = f"node/{cloud.name}/load"
    return f"{own}_{scheme}" if cloud.store_scheme and scheme in cloud.more_store_schemes else own


@functools.lru_cache
def loader_text(start: str) -> str:
    """The file: a module, after all that it imports. Names at the top of these modules differ from each other.

    Raises KopsError if a source is missing.
    """
    parts = [_RELATIVE.sub("", stripped(needed_source(name)).replace(_FUTURE, "")) for name in _in_order(start)]
    text = _DOCSTRING.sub("", _EMPTY.sub("", "".join(parts)))
    return _FUTURE + _INDENTATION.sub(lambda found: " " * (len(found[0]) // 4), text)


def _in_order(name: str) -> list[str]:
    """A module after those that it imports, each once."""
    before = [each for needed in imported(name, needed_source(name)) for each in _in_order(needed)]
    return list(dict.fromkeys([*before, name]))
