# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of updates: the index of addons without hashes, and each addon's objects, as data.

Left out: the objects of kops' own programs, which this collection replaces, definitions of kinds, which are fetched
from upstream, and the user data of instances that Karpenter or the cluster autoscaler launches: what makes them nodes
is our own.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import Addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.index import index_text
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import addons_of
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.additional import AdditionalObject
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model import node_configs
from ansible_collections.kubeops.kops.plugins.module_utils.model.addons import addon_context
from ansible_collections.kubeops.kops.plugins.module_utils.model.aws import karpenter

from tests.support.upstream import without_definitions

from . import completed, terraform
from .results import DIFFERING, MATCHED, MISSING, Result, about, differences

OWN_PROGRAMS = ("kops-controller.addons.k8s.io", "dns-controller.addons.k8s.io")
_DEFINITION = "CustomResourceDefinition"
_NODE_CLASS = "EC2NodeClass"
# What instances of Hetzner are launched with stands in a file of this ConfigMap, the file's hash in an annotation.
_SERVERS, _SERVERS_FILE = "cluster-autoscaler-hcloud-config", "cluster-config.json"
_SERVERS_HASH, _USER_DATA_HASH = "checksum/hcloud-cluster-config", "kops.k8s.io/instance-userdata"
# What kops' test cases have in the environment, beside what meta.json says.
_ENVIRONMENT = {"HCLOUD_TOKEN": "REDACTED"}
_INDEX, _DEFINITIONS = "index.yaml", "crds.yaml"


@dataclass(frozen=True)
class Case:
    """A case of any cloud that has the files of addons."""

    source: completed.Case

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def directory(self) -> Path:
        return self.source.directory / "addons"


def cases(directory: Path) -> list[Case]:
    """The cases below a directory of golden cases whose addons are known."""
    found = map(Case, completed.cases(directory))
    return [case for case in found if (case.directory / _INDEX).is_file()]


def made(case: Case) -> list[Addon]:
    """The addons of a case's cluster."""
    return made_for(context_of(case))


def made_for(context: AddonContext) -> list[Addon]:
    """The addons and the user's own objects, without the definitions of kinds, which are upstream's."""
    return addons_of(context, without_definitions).bootstrap


def context_of(case: Case) -> AddonContext:
    """What the addons of a case's cluster are asked with."""
    meta = about(case.source.directory)
    whole = terraform.Case(case.source, case.source.feature_flags, has_ssh_key=not meta.get("withoutSSHKey"))
    context = terraform.model_context(whole, completed.complete(case.source))
    given = manifest.load(case.source.source.read_text(), source=case.source.source.name, ignored=[])
    asked = replace(
        addon_context(context),
        additional=[obj for obj in given if isinstance(obj, AdditionalObject)],
        credentials={**_ENVIRONMENT, **(meta.get("env") or {})},
    )
    if asked.cloud is AWS:
        node_configs.build(context)
        asked = replace(asked, launches=lambda: karpenter.launches(context))
    return asked


def compare(case: Case) -> list[Result]:
    """The index, entry by entry and their order, and every object of every addon."""
    try:
        addons = made(case)
    except KopsError as error:
        return [Result(case.name, "addons", DIFFERING, f"refused: {error}")]
    return [*_compare_index(case, addons), *_compare_objects(case, addons)]


def _compare_index(case: Case, addons: list[Addon]) -> Iterator[Result]:
    expected, actual = _entries((case.directory / _INDEX).read_text()), _entries(index_text(addons))
    yield from _compare(case, "index: {}", expected, actual)
    orders = [key for key in expected if key in actual], [key for key in actual if key in expected]
    yield Result(case.name, "index: order", *_verdict(*orders))


def _entries(text: str) -> dict[str, dict[str, Any]]:
    entries = yaml.safe_load(text)["spec"]["addons"]
    return {
        f"{entry['name']}-{entry['id']}" if entry.get("id") else entry["name"]: {
            name: value for name, value in entry.items() if name != "manifestHash"
        }
        for entry in entries
    }


def _compare_objects(case: Case, addons: list[Addon]) -> Iterator[Result]:
    own = {addon.key: addon for addon in addons}
    names = {path.stem for path in case.directory.iterdir() if path.name not in (_INDEX, _DEFINITIONS)}
    for name in sorted(names | own.keys()):
        if name.startswith(OWN_PROGRAMS):
            continue
        file = case.directory / f"{name}.yaml"
        expected = objects(file.read_text()) if file.is_file() else {}
        actual = objects(own[name].manifest) if name in own else {}
        yield from _compare(case, f"{name}: {{}}", expected, actual)


def objects(text: str) -> dict[str, Any]:
    """The objects of a manifest, without definitions of kinds: kind, namespace and name -> object."""
    found: dict[str, Any] = {}
    for obj in filter(None, yaml.safe_load_all(text)):
        if obj.get("kind") != _DEFINITION:
            found[_key(obj, found)] = _without_user_data(_without_nulls(obj))
    return found


def _key(obj: dict[str, Any], taken: Container[str]) -> str:
    """Objects that users add may have no name (a configuration file), or one that the server generates: numbered."""
    metadata = obj.get("metadata") or {}
    name = metadata.get("name") or metadata.get("generateName")
    key = " ".join(filter(None, (obj.get("kind"), metadata.get("namespace"), name)))
    return next(each for each in _numbered(key) if each not in taken)


def _numbered(key: str) -> Iterator[str]:
    yield key
    yield from (f"{key} ({number})" for number in itertools.count(2))


def _without_user_data(obj: dict[str, Any]) -> dict[str, Any]:
    if obj.get("kind") == _NODE_CLASS:
        obj["spec"].pop("userData", None)
    if _name(obj) == _SERVERS:
        servers = json.loads(obj["data"][_SERVERS_FILE])
        for group in servers.get("nodeConfigs", {}).values():
            group.pop("cloudInit", None)
            group.get("serverLabels", {}).pop(_USER_DATA_HASH, None)
        obj["data"][_SERVERS_FILE] = json.dumps(servers, indent=2)
    if obj.get("kind") == "Deployment":
        annotations = obj["spec"]["template"].get("metadata", {}).get("annotations", {})
        if _SERVERS_HASH in annotations:
            annotations[_SERVERS_HASH] = "of that file"
    return obj


def _name(obj: dict[str, Any]) -> str | None:
    return (obj.get("metadata") or {}).get("name")


def _without_nulls(value: Any) -> Any:
    """A null means unset."""
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


def _compare(case: Case, label: str, expected: dict[str, Any], actual: dict[str, Any]) -> Iterator[Result]:
    for key in sorted(expected.keys() | actual.keys()):
        if key not in actual:
            yield Result(case.name, label.format(key), MISSING)
        elif key not in expected:
            yield Result(case.name, label.format(key), DIFFERING, "additional")
        else:
            yield Result(case.name, label.format(key), *_verdict(expected[key], actual[key]))


def _verdict(expected: Any, actual: Any) -> tuple[str, str]:
    """Equal as data and in the types of its values: "1" is not 1, and True is not 1."""
    if json.dumps(expected, sort_keys=True) == json.dumps(actual, sort_keys=True):
        return MATCHED, ""
    return DIFFERING, "\n".join(differences(expected, actual))
