# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workloads that the addons of a cluster must have, by the manifests in its state store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...addons.index import CHANNELS, DIRECTORY, INDEX
from ...api.yaml.read import read_plain
from ...base.errors import KopsError
from ...kubernetes.addons.rollouts import WORKLOADS
from ...kubernetes.validation.addons import Workload, workloads_in
from ...statestore.store import ClusterStore

APPLIED_BY_HOSTS = "kubeops.kops.hosts applies it again"
# Most documents of a manifest are none, and definitions of kinds are long: only these are read.
_WORKLOAD = re.compile(rf"""^["']?kind["']?: *["']?({"|".join(WORKLOADS)})\b""", re.MULTILINE)
_BETWEEN = re.compile(r"^---.*$", re.MULTILINE)


def index_entries(store: ClusterStore, file: str) -> Iterator[Mapping[str, Any]]:
    """The entries of an index of addons; none if the store does not have it. Raises KopsError."""
    path = store.path.join(file)
    try:
        data = read_plain(path.read(), str(path))
    except FileNotFoundError:
        return
    addons = ((data or {}).get("spec") or {}).get("addons") if isinstance(data, dict) else None
    for entry in addons or ():
        if not isinstance(entry, dict):
            raise KopsError(f"{path} is no index of addons")
        yield entry


def stored_workloads(store: ClusterStore, again: str = APPLIED_BY_HOSTS) -> list[Workload]:
    """The workloads, in the order of the addons. again: what applies them again. Raises KopsError.

    A manifest that the store lacks is left out: the update, which writes it, says so.
    """
    found: list[Workload] = []
    for file in (INDEX, CHANNELS):
        for entry in index_entries(store, file):
            path = store.path.join(f"{DIRECTORY}/{entry.get('manifest')}")
            try:
                text = path.read().decode()
            except FileNotFoundError:
                continue
            documents = [each for each in _BETWEEN.split(text) if _WORKLOAD.search(each)]
            objects = [read_plain(each, str(path)) for each in documents]
            found += workloads_in(str(entry.get("name") or ""), objects, again)
    return found
