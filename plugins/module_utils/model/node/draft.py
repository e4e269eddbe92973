# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A NodeConfig in the making: parts add items to it, in the form that module_utils/node/ reads (schema 1)."""

from __future__ import annotations

import contextlib
import functools
import json
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api.yaml.write import dump_plain
from ...base.errors import FieldError, KopsError
from .certificates import Certificate
from .restarts import named_by_unit, read_by_pod
from .systemd import unit_name

Item = dict[str, Any]

# Key of the NodeConfig -> the key by which its items are told apart.
_IDENTITIES = {
    "aptSources": "name",
    "certificates": "name",
    "checks": "name",
    "directories": "path",
    "downloads": "name",
    "files": "path",
    "images": "name",
    "kernelModules": "name",
    "links": "path",
    "packages": "name",
    "staticPods": "name",
    "sysctls": "key",
    "units": "name",
    "users": "name",
    "volumes": "name",
}


def on(**condition: str | Sequence[str]) -> Mapping[str, list[str]]:
    """A condition: ``on(family="debian")``, ``on(distribution=["ubuntu-22.04", "ubuntu-24.04"])``."""
    return {key: [value] if isinstance(value, str) else list(value) for key, value in condition.items()}


def yaml_text(data: Any) -> str:
    """Plain data as YAML. Groups have most of their texts in common: each is written once, as this takes long."""
    return _yaml_of(json.dumps(data))


@functools.lru_cache(maxsize=256)
def _yaml_of(plain: str) -> str:
    return dump_plain(json.loads(plain))


ALWAYS: Mapping[str, list[str]] = types.MappingProxyType({})
NOTHING: Mapping[str, str] = types.MappingProxyType({})


@dataclass(frozen=True)
class Asked:
    """A field of the specification that an item is made of; see Draft.asked_by."""

    path: str
    group: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)

    def error(self, message: str, key: str = "") -> FieldError:
        """A problem of the item, as one of the field. key: of the item."""
        inner = self.keys.get(key, "")
        return FieldError("Invalid", f"{self.path}.{inner}" if inner else self.path, message, group=self.group)


@dataclass
class Draft:
    """The items so far, and what the secrets document of a node has to hold for them.

    issued: certificates, in order. stored: what files refer to in the store.
    pods: static pods, each with its manifest. refused: problems of what the user asks for.
    """

    items: dict[str, list[Item]] = field(default_factory=dict)
    refused: list[FieldError] = field(default_factory=list)
    issued: list[Certificate] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    pods: list[tuple[Item, Mapping[str, Any]]] = field(default_factory=list)
    # Kind and place of an item -> the field of the specification that it was made of.
    asked: dict[tuple[str, int], Asked] = field(default_factory=dict)
    _asking: Asked | None = None
    # The same by kind and name.
    _owners: dict[tuple[str, str], Asked] = field(default_factory=dict)
    # Kind and name of an item -> the conditions of those that have it.
    _conditions: dict[tuple[str, str], list[Mapping[str, list[str]] | None]] = field(default_factory=dict)

    def add(self, kind: str, item: Item, when: Mapping[str, list[str]] = ALWAYS) -> Item:
        """Take an item in. Raises KopsError when there is another one of its name on the same machines."""
        taken = self._take(kind, item, when)
        if taken is None:
            identity = _IDENTITIES[kind]
            asked = self._asking or self._owners.get((kind, item[identity]))
            if asked is None:
                raise KopsError(f"the specification asks for two {kind} {item[identity]}")
            # What a user asks for is judged as a whole.
            self.refused.append(
                asked.error(f"{item[identity]!r} is among the {kind} that nodes need already", identity)
            )
            return dict(item)
        return taken

    def ensure(self, kind: str, item: Item, when: Mapping[str, list[str]] = ALWAYS) -> None:
        """Take an item in unless one of its name is there."""
        self._take(kind, item, when)

    def _take(self, kind: str, item: Item, when: Mapping[str, list[str]]) -> Item | None:
        made = {**item, "when": dict(when)} if when else dict(item)
        alike = self._conditions.setdefault((kind, made[_IDENTITIES[kind]]), [])
        if made.get("when") in alike:
            return None
        alike.append(made.get("when"))
        items = self.items.setdefault(kind, [])
        if self._asking is not None:
            self.asked[kind, len(items)] = self._owners[kind, made[_IDENTITIES[kind]]] = self._asking
        items.append(made)
        return made

    @contextlib.contextmanager
    def asked_by(self, path: str, group: str = "", keys: Mapping[str, str] = NOTHING) -> Iterator[None]:
        """What is added within was asked for by this field of the specification.

        group: the name of the group whose field it is, "" for the cluster's. keys: key of the item -> of the field.
        """
        self._asking = Asked(path, group, keys)
        try:
            yield
        finally:
            self._asking = None

    def refuse(self, message: str, key: str = "") -> None:
        """Note a problem of what the field asks for, within asked_by. key: of the item, "" for all of it."""
        if self._asking is None:
            raise KopsError(message)
        self.refused.append(self._asking.error(message, key))

    def finish(self) -> None:
        """Name the files that restart units and static pods. Must be called after all parts."""
        files = list(dict.fromkeys(item["path"] for item in self.items.get("files", []) if not item.get("once")))
        # Kubernetes and etcd load their certificates again when these change, but not those in kubeconfigs.
        reloaded = [path for each in self.issued if not each.kubeconfig for path in (each.path, each.key_path)]
        for item, pod in self.pods:
            _restart(item, read_by_pod(pod, files, reloaded))
        for item in self.items.get("units", []):
            _restart(item, named_by_unit(item.get("content", ""), files))

    # -- kinds of items -----------------------------------------------------------------------------------------

    def directory(self, path: str, mode: str = "0755") -> None:
        """A directory; asked for as often as one likes."""
        self.ensure("directories", {"path": path, "mode": mode})

    def file(
        self, path: str, content: str, mode: str = "0644", *, when: Mapping[str, list[str]] = ALWAYS, **more: Any
    ) -> None:
        """A file. more: other keys of the item (owner, group, block)."""
        self.add("files", {"path": path, "mode": mode, "content": content, **more}, when)

    def log_file(self, path: str) -> None:
        """A log file that a static pod mounts: it has to be there first, and is then left alone."""
        self.add("files", {"path": path, "mode": "0400", "content": "", "once": True})

    def stored_file(self, path: str, reference: str, mode: str = "0600") -> None:
        """A file of what the store has, by a reference (exchange/references.py): it goes into the secrets document."""
        self.reference(path, reference, mode)
        self.stored.append(reference)

    def authority(self, path: str, keyset: str, mode: str = "0644") -> None:
        """A file of the trusted certificates of a keyset.

        They are no secret, but a NodeConfig without them can be made before the keyset, and outlives its rotation.
        """
        self.stored_file(path, f"authority/{keyset}", mode)

    def reference(self, path: str, reference: str, mode: str, owner: str = "root", group: str = "root") -> None:
        """A file whose content is in the secrets document."""
        item = {"path": path, "mode": mode, "owner": owner, "group": group, "reference": reference, "secret": True}
        self.add("files", item)

    def certificate(self, certificate: Certificate) -> None:
        """A certificate with its key, or the kubeconfig made of them, issued for each node."""
        self.issued.append(certificate)
        for path, reference, mode in certificate.files:
            self.reference(path, reference, mode, certificate.owner, certificate.owner)
        self.add("certificates", certificate.described())

    def package(self, *names: str, when: Mapping[str, list[str]] = ALWAYS) -> None:
        """Packages of the distribution; asked for as often as one likes."""
        for name in names:
            self.ensure("packages", {"name": name}, when)

    def unit(
        self,
        name: str,
        content: str | None = None,
        *,
        restart_on: Iterable[str] = (),
        drop_ins: Mapping[str, str] = NOTHING,
        awaits: str = "",
        when: Mapping[str, list[str]] = ALWAYS,
        **more: Any,
    ) -> None:
        """A unit of systemd, enabled and started unless more says otherwise. content: None for one that exists.

        restart_on: items that it depends on, besides the files that its content names. drop_ins: file name -> content.
        awaits: HOST:PORT of a TLS server that its start waits for.
        """
        item: Item = {"name": unit_name(name), "enabled": True, "state": "started", **more}
        if content is not None:
            item["content"] = content
        given: Item = {"restartOn": list(restart_on), "dropIns": dict(drop_ins), "awaits": awaits}
        item.update({key: value for key, value in given.items() if value})
        self.add("units", item, when)

    def user(self, name: str, uid: int, home: str) -> None:
        """A system user without a login."""
        self.add("users", {"name": name, "uid": uid, "home": home, "shell": "/sbin/nologin"})

    def static_pod(
        self,
        pod: Mapping[str, Any],
        restart_on: Sequence[str] = (),
        when: Mapping[str, list[str]] = ALWAYS,
        *,
        last: bool = False,
        interrupts: bool = True,
    ) -> None:
        """A static pod, named as its manifest is. restart_on: items that it depends on, besides what it mounts.

        last: it only fails before what the node checks works. interrupts: restarting it disturbs workloads.
        """
        item: Item = {"name": pod["metadata"]["name"], "content": yaml_text(pod)}
        more: Item = {"restartOn": list(restart_on), "last": last}
        item.update({key: value for key, value in more.items() if value})
        if not interrupts:
            item["interrupts"] = False
        self.pods.append((self.add("staticPods", item, when), pod))

    def check(self, name: str, kind: str, target: str, log: Mapping[str, str], deadline: int, **more: Any) -> None:
        """Something that the node waits for at the end. deadline: seconds."""
        item = {"name": name, "kind": kind, "target": target, "deadline": deadline, "log": dict(log), **more}
        self.add("checks", item)


def _restart(item: Item, files: Iterable[str]) -> None:
    reasons = dict.fromkeys([*item.get("restartOn", ()), *(f"file:{path}" for path in files)])
    if reasons:
        item["restartOn"] = list(reasons)
