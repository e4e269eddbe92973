# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests of Kubernetes objects that others publish: read, and checked as far as no cluster is needed for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...api.yaml.read import Document
from ...base.errors import KopsError
from ..upstream import UpstreamFile, documents_of

Object = dict[str, Any]


def parse_manifest(url: str, data: bytes) -> UpstreamFile:
    """A file with its objects, those of Lists one by one; raises KopsError with all that is wrong with them."""
    return UpstreamFile(url, data, objects_of(url, documents_of(url, data)))


def objects_of(url: str, documents: Sequence[Document]) -> list[Object]:
    """The objects of a file; raises KopsError with all that is wrong with them, and if it has none."""
    problems: list[str] = []
    objects = [obj for document in documents for obj in _objects(document.data, document.where, problems)]
    if not objects and not problems:
        problems.append(f"{url}: contains no Kubernetes object")
    if problems:
        raise KopsError("\n".join(problems))
    return objects


def _objects(data: Any, where: str, problems: list[str]) -> Iterator[Object]:
    if isinstance(data, dict) and (data.get("apiVersion"), data.get("kind")) == ("v1", "List"):
        for index, item in enumerate(data.get("items") or ()):
            yield from _objects(item, f"{where}, items[{index}]", problems)
        return
    found = problem_of(data)
    if found:
        problems.append(f"{where}: {found}")
    else:
        yield data


def problem_of(data: Any) -> str:
    """Why something cannot be applied as a Kubernetes object; "" if it can."""
    if not isinstance(data, dict):
        return "is no Kubernetes object"
    if not all(isinstance(data.get(name), str) and data[name] for name in ("apiVersion", "kind")):
        return "is no Kubernetes object: it needs apiVersion and kind"
    metadata = data.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str) or not metadata["name"]:
        return f"{data['kind']}: needs metadata.name"
    if not isinstance(metadata.get("namespace") or "", str):
        return f"{data['kind']} {metadata['name']}: metadata.namespace must be text"
    for name in ("labels", "annotations"):
        if not isinstance(metadata.get(name) or {}, dict):
            return f"{data['kind']} {metadata['name']}: metadata.{name} must be a mapping"
    if data["kind"] == "CustomResourceDefinition" and not _defines_kind(data.get("spec")):
        return f"{data['kind']} {metadata['name']}: needs spec.group and spec.names.kind"
    return ""


def _defines_kind(spec: Any) -> bool:
    names = spec.get("names") if isinstance(spec, dict) else None
    return isinstance(names, dict) and all(isinstance(each, str) for each in (spec.get("group"), names.get("kind")))
