# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the plain data of a NodeConfig to what this node has to be: checked, chosen by condition, markers filled in."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ..base.errors import ConfigError
from . import facts as node_facts
from . import schema
from .items import SCHEMA, Config, Item, When
from .machine import Machine

# Items whose identities may not be shared, even by items of different kinds: they are paths.
_PATHS = ("directory", "link", "file")


def config_hash(data: Any) -> str:
    """By which a node knows whether it is what a NodeConfig says: sha256 of the canonical JSON."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_config(
    data: Any, facts: Mapping[str, Any], machine: Machine, kept: Mapping[str, str]
) -> tuple[Config, dict[str, str]]:
    """The Config for one machine, and the facts in it that it did not find by itself.

    data: the NodeConfig as plain data. facts: what is known of this node from elsewhere, by name. kept: what was known
    earlier, and counts as long as it is not given anew. Raises ConfigError with everything that is wrong.
    """
    problems: list[str] = []
    if not isinstance(data, Mapping):
        raise ConfigError(["the configuration has to be a mapping"])
    if data.get("schema") != SCHEMA:
        raise ConfigError([f"schema: {data.get('schema')!r} is not known here; this is for schema {SCHEMA}"])
    written = schema.read(Config, data, "", problems)
    problems += node_facts.check_given(facts)
    if problems:
        raise ConfigError(problems)
    if written.architecture != machine.host.architecture():
        problems.append(
            f"architecture: the configuration is for {written.architecture}, not {machine.host.architecture()}"
        )
    chosen = _choose(data, written, machine)
    needed = {*written.facts, *node_facts.markers(chosen)}
    given = {**kept, **{name: str(value) for name, value in facts.items() if value not in (None, "")}}
    filled = node_facts.fill(chosen, node_facts.gather(needed, given, machine, problems))
    config = schema.read(Config, filled, "", problems)
    problems += [] if problems else _check_whole(config, {item.label for _place, item in written.items()})
    if problems:
        raise ConfigError(problems)
    return dataclasses.replace(config, hash=config_hash(data)), {n: given[n] for n in sorted(needed) if n in given}


def read_secrets(secrets: Any) -> dict[str, bytes]:
    """The secrets document: bytes by name. Raises ConfigError, which never shows a value."""
    if not isinstance(secrets, Mapping):
        raise ConfigError(["secrets: has to be a mapping from names to base64"])
    decoded: dict[str, bytes] = {}
    problems = []
    for name, value in secrets.items():
        try:
            decoded[str(name)] = base64.b64decode(value, validate=True)
        except (TypeError, ValueError, binascii.Error):
            problems.append(f"secrets: {name} is not base64")
    if problems:
        raise ConfigError(problems)
    return decoded


def _choose(data: Mapping[str, Any], written: Config, machine: Machine) -> dict[str, Any]:
    """The data without the items whose condition does not hold."""
    chosen = dict(data)
    for field, key in ((field, schema.camel(field.name)) for field in dataclasses.fields(Config)):
        items = getattr(written, field.name)
        if isinstance(items, list) and items and isinstance(items[0], Item):
            chosen[key] = [raw for raw, item in zip(data[key], items) if _holds(item.when, machine)]
    return chosen


def _holds(when: When, machine: Machine) -> bool:
    distribution = machine.distribution
    return (
        (not when.family or distribution.family in when.family)
        and (not when.distribution or distribution.name in when.distribution)
        and (not when.trait or not distribution.traits.isdisjoint(when.trait))
        and (not when.architecture or machine.host.architecture() in when.architecture)
    )


def _check_whole(config: Config, known: set[str]) -> list[str]:
    """What is wrong with items taken together. known: labels of all items, those for other machines included."""
    problems: list[str] = []
    places: dict[str, str] = {}
    for place, item in config.items():
        identity = f"path:{item.label.partition(':')[2]}" if item.KIND in _PATHS else item.label
        if identity in places:
            problems.append(f"{place}: {item.label} is there already, as {places[identity]}")
        places.setdefault(identity, place)
    for index, file in enumerate(config.files):
        if (file.content is None) == (not file.reference):
            problems.append(f"files[{index}]: {file.path} needs either content or reference")
    for index, download in enumerate(config.downloads):
        if not download.urls:
            problems.append(f"downloads[{index}].urls: {download.name} needs at least one")
        if bool(download.dest) == bool(download.unpack):
            problems.append(f"downloads[{index}]: {download.name} needs either dest or unpack")
        problems += [
            f"downloads[{index}].unpack: {rule.member} can be many files, so that dest needs a / at its end"
            for rule in download.unpack
            if rule.is_pattern and not rule.dest.endswith("/")
        ]
    for index, volume in enumerate(config.volumes):
        if bool(volume.device) == bool(volume.directory):
            problems.append(f"volumes[{index}]: {volume.name} needs either device or directory")
    for place, item in config.items():
        problems += [
            f"{place}.restartOn: {reason!r} names nothing in this configuration"
            for reason in getattr(item, "restart_on", ())
            if not any(names(reason, label) for label in known)
        ]
    wanted = {item.label for _place, item in config.items()}
    for kind, absent in (("file", config.absent.files), ("unit", config.absent.units)):
        problems += [f"absent: {kind} {name} is wanted, too" for name in absent if f"{kind}:{name}" in wanted]
    return problems


def names(reason: str, label: str) -> bool:
    """Whether an entry of restartOn means an item: its label, its kind, or the beginning of it that ends with /."""
    return reason == label or label.startswith(reason if reason.endswith("/") else reason + ":")
