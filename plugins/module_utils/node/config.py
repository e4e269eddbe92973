# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a NodeConfig: validates it, selects items by their conditions, replaces markers by facts."""

from __future__ import annotations

import base64
import binascii
import dataclasses
from collections.abc import Mapping
from typing import Any

from ..base.errors import ConfigError
from ..exchange import schema
from ..exchange.distributions import DISTRIBUTIONS
from ..exchange.document import SCHEMA, config_hash, fill, markers
from ..exchange.items import ARCHITECTURES, Config, Item, When
from . import facts as node_facts
from .system.machine import Machine

# Kinds that share one namespace of identities, because these are paths.
_PATHS = ("directory", "link", "file")


def read_config(
    data: Any, facts: Mapping[str, Any], machine: Machine, kept: Mapping[str, str]
) -> tuple[Config, dict[str, str]]:
    """The Config for this machine, and the given facts that it uses.

    data: the NodeConfig as plain data. facts: given facts, by name. kept: facts of earlier runs, used unless they are
    given again. Raises ConfigError with all problems.
    """
    problems: list[str] = []
    if not isinstance(data, Mapping):
        raise ConfigError(["the configuration must be a mapping"])
    if data.get("schema") != SCHEMA:
        raise ConfigError([f"schema: {data.get('schema')!r} is not supported; this program supports schema {SCHEMA}"])
    written = schema.read(Config, data, "", problems)
    problems += node_facts.check_given(facts)
    if problems:
        raise ConfigError(problems)
    if written.architecture != machine.host.architecture():
        problems.append(
            f"architecture: the configuration is for {written.architecture}, not {machine.host.architecture()}"
        )
    chosen = _choose(data, written, machine)
    needed = {*written.facts, *markers(chosen)}
    given = {**kept, **{name: str(value) for name, value in facts.items() if value not in (None, "")}}
    filled = fill(chosen, node_facts.gather(needed, given, machine, problems))
    config = schema.read(Config, filled, "", problems)
    problems += [] if problems else _check_whole(config, {item.label for _place, item in written.items()})
    if problems:
        raise ConfigError(problems)
    return dataclasses.replace(config, hash=config_hash(data)), {n: given[n] for n in sorted(needed) if n in given}


def problems_of(data: Mapping[str, Any]) -> list[str]:
    """What any machine would refuse of a NodeConfig, each with its place in the document ("files[3].mode: ...").

    It is for the controller that makes it: what depends on the machine, such as its facts, is left out.
    """
    problems: list[str] = []
    config = schema.read(Config, data, "", problems)
    return problems or _check_whole(config, {item.label for _place, item in config.items()})


def read_secrets(secrets: Any) -> dict[str, bytes]:
    """The secrets document: name -> bytes. Raises ConfigError; its message never contains a value."""
    if not isinstance(secrets, Mapping):
        raise ConfigError(["secrets: must be a mapping from names to base64"])
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
    """The data without the items whose condition is not met."""
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


def _machines(when: When) -> set[tuple[str, str]]:
    """The kinds of machines that a condition holds for: distribution and architecture."""
    return {
        (row.name, architecture)
        for row in DISTRIBUTIONS
        for architecture in (when.architecture or ARCHITECTURES)
        if (not when.family or row.family in when.family)
        and (not when.distribution or row.name in when.distribution)
        and (not when.trait or not row.traits.isdisjoint(when.trait))
    }


def _check_whole(config: Config, known: set[str]) -> list[str]:
    """Problems of the items as a whole. known: labels of all items, including those for other machines."""
    problems: list[str] = []
    places: dict[str, list[tuple[str, Item]]] = {}
    for place, item in config.items():
        identity = f"path:{item.label.partition(':')[2]}" if item.KIND in _PATHS else item.label
        for earlier, other in places.setdefault(identity, []):
            if _machines(item.when) & _machines(other.when):
                problems.append(f"{place}: {item.label} is a duplicate of {earlier}")
                break
        places[identity].append((place, item))
    for index, file in enumerate(config.files):
        if (file.content is None) == (not file.reference):
            problems.append(f"files[{index}]: {file.path} needs exactly one of content and reference")
    for index, download in enumerate(config.downloads):
        if not download.urls:
            problems.append(f"downloads[{index}].urls: {download.name} needs at least one URL")
        if bool(download.dest) == bool(download.unpack):
            problems.append(f"downloads[{index}]: {download.name} needs exactly one of dest and unpack")
        problems += [
            f"downloads[{index}].unpack: {rule.member} is a pattern, so dest must end with /"
            for rule in download.unpack
            if rule.is_pattern and not rule.dest.endswith("/")
        ]
    for index, volume in enumerate(config.volumes):
        if bool(volume.device) == bool(volume.directory):
            problems.append(f"volumes[{index}]: {volume.name} needs exactly one of device and directory")
    for place, item in config.items():
        problems += [
            f"{place}.restartOn: {reason!r} matches no item of this configuration"
            for reason in getattr(item, "restart_on", ())
            if not any(names(reason, label) for label in known)
        ]
    wanted = {item.label for _place, item in config.items()}
    for kind, absent in (("file", config.absent.files), ("unit", config.absent.units)):
        problems += [f"absent: {kind} {name} is also configured" for name in absent if f"{kind}:{name}" in wanted]
    return problems


def names(reason: str, label: str) -> bool:
    """Whether an entry of restartOn matches an item: the entry is its label, its kind, or a prefix that ends with /."""
    return reason == label or label.startswith(reason if reason.endswith("/") else reason + ":")
