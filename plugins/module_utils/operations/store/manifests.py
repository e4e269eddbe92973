# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests as a user hands them over, sorted by the cluster that they belong to."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api import manifest
from ...api.additional import AdditionalObject
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.origin import located_in
from ...api.ssh_credential import SSHCredential
from ...base.errors import FieldError, KopsError, ManifestError, ValidationError
from ...statestore.objects import LABEL_CLUSTER

SUFFIXES = (".yaml", ".yml", ".json")
# How many places a message names of an object that is given several times.
_PLACES = 3


@dataclass
class WantedCluster:
    """Manifests of one cluster. cluster: None if they hold only parts of an existing one.

    additional_objects: None leaves the stored ones alone, as manifests without any say nothing about them.
    removed: names of instance groups that are not wanted any more.
    """

    name: str
    cluster: Cluster | None = None
    groups: list[InstanceGroup] = field(default_factory=list)
    ssh_public_keys: list[str] = field(default_factory=list)
    additional_objects: list[AdditionalObject] | None = None
    removed: Collection[str] = ()


def load_manifests(given: Iterable[str | Mapping[str, Any]]) -> list[Any]:
    """The objects of manifests, each YAML text or plain data. Raises ManifestError for what is none."""
    objects: list[Any] = []
    for number, item in enumerate(given, 1):
        where = f"manifest {number}"
        if isinstance(item, Mapping):
            objects.append(manifest.from_data(dict(item), where=where))
        else:
            objects += manifest.load(item, source=where)
    return objects


def load_files(locations: Sequence[str]) -> list[Any]:
    """The objects of files, and of all manifests in directories, in the order of their names."""
    return [found for path, text in read_files(locations) for found in manifest.load(text, source=path)]


def read_files(locations: Sequence[str], what: str = "manifest") -> Iterator[tuple[str, bytes]]:
    """Path and text of files; of a directory, of all its YAML and JSON, in the order of their names.

    what: what they hold, for messages. Raises KopsError for what cannot be read.
    """
    for path in _files(locations, what):
        try:
            with open(path, "rb") as stream:
                text = stream.read()
        except OSError as error:
            raise KopsError(f"cannot read {path}: {error.strerror}") from error
        yield path, text


def _files(locations: Sequence[str], what: str) -> list[str]:
    found: list[str] = []
    for location in map(os.path.expanduser, locations):
        if not os.path.isdir(location):
            found.append(location)
            continue
        inside = [os.path.join(at, name) for at, _directories, names in os.walk(location) for name in names]
        manifests = sorted(path for path in inside if path.endswith(SUFFIXES) and "/." not in path[len(location) :])
        if not manifests:
            raise KopsError(f"the directory {location} holds no {what} ({', '.join(SUFFIXES)})")
        found += manifests
    return found


def sort_objects(objects: Sequence[Any], cluster_name: str = "") -> list[WantedCluster]:
    """Sort objects by cluster, in the order in which the clusters come.

    cluster_name: the only cluster that may be meant; and the one of objects that name none. Without it, that is the
    only Cluster among the objects. Raises ValidationError with all objects that cannot be placed.
    """
    clusters = [found for found in objects if isinstance(found, Cluster)]
    default = cluster_name or (str(clusters[0].metadata.name or "") if len(clusters) == 1 else "")
    problems: list[FieldError] = []
    wanted: dict[str, WantedCluster] = {}
    placed: dict[tuple[str, str, str], list[Any]] = {}

    for found in objects:
        kind, name = kind_of(found), name_of(found)
        home = _home(found) or default
        if not name and not isinstance(found, (AdditionalObject, SSHCredential)):
            article = "an" if kind[:1] in "AEIO" else "a"
            error = FieldError("Required", "metadata.name", f"{article} {kind} needs a name")
            problems.append(located_in(error, found))
        elif isinstance(found, AdditionalObject) and kind == "List":
            message = "a List is not taken apart: write each of its items as a document, with a line --- between them"
            problems.append(located_in(FieldError("Forbidden", "items", message), found))
        elif not home:
            label = f'metadata.labels["{LABEL_CLUSTER}"]'
            error = FieldError("Required", label, f"{kind} {name} must say which cluster it belongs to")
            problems.append(located_in(error, found))
        elif cluster_name and home != cluster_name:
            message = f"{kind} {name} is of cluster {home}; what is given here must be of {cluster_name}"
            problems.append(located_in(FieldError("Invalid", "metadata", message), found))
        elif isinstance(found, (Cluster, InstanceGroup)):
            alike = placed.setdefault((home, kind, name), [])
            alike.append(found)
            if len(alike) == 1:
                problems += _place(wanted.setdefault(home, WantedCluster(home)), found)
        else:
            problems += _place(wanted.setdefault(home, WantedCluster(home)), found)
    problems += [_given_often(kind, name, alike) for (_home, kind, name), alike in placed.items() if len(alike) > 1]
    if problems:
        raise ValidationError(problems, "manifests")
    return list(wanted.values())


def _given_often(kind: str, name: str, alike: Sequence[Any]) -> FieldError:
    """The problem of an object that is given several times, with the places of the first ones."""
    shown = [located_in(FieldError("Duplicate", "metadata.name", ""), each).where for each in alike[:_PLACES]]
    shown = [*filter(None, shown), *([f"{len(alike) - _PLACES} more"] if len(alike) > _PLACES else [])]
    message = f"{kind} {name} is given {len(alike)} times; each object may be given once"
    return FieldError("Duplicate", "", f"{message} ({'; '.join(shown)})" if shown else message)


def kind_of(found: Any) -> str:
    """The kind of an object, as its manifest says it."""
    return found.kind if isinstance(found, AdditionalObject) else type(found).__name__


def name_of(found: Any) -> str:
    """What an object is called; "" where it has no name. SSH keys of a cluster differ by their fingerprints only."""
    return found.name if isinstance(found, AdditionalObject) else str(found.metadata.name or "")


def _home(found: Any) -> str:
    if isinstance(found, Cluster):
        return str(found.metadata.name or "")
    return "" if isinstance(found, AdditionalObject) else str(found.metadata.labels.get(LABEL_CLUSTER, ""))


def _place(wanted: WantedCluster, found: Any) -> list[FieldError]:
    name = name_of(found)
    if isinstance(found, Cluster):
        wanted.cluster = found
    elif isinstance(found, InstanceGroup):
        wanted.groups.append(found)
    elif isinstance(found, SSHCredential):
        if not found.spec.public_key:
            return [FieldError("Required", "spec.publicKey", f"SSHCredential {name} needs a public key")]
        wanted.ssh_public_keys.append(found.spec.public_key)
    elif isinstance(found, AdditionalObject):
        wanted.additional_objects = [*(wanted.additional_objects or []), found]
    else:
        message = f"a {kind_of(found)} is not kept as a manifest; keysets are made by update_cluster and module keypair"
        return [FieldError("NotSupported", "kind", message)]
    return []


def one_object(kind: type[Any], name: str, spec: Mapping[str, Any], metadata: Mapping[str, Any]) -> Any:
    """The object of a kind whose spec is given as plain data in v1alpha2. Raises ManifestError."""
    if not name:
        raise ManifestError(f"a {kind.__name__} that is given by its spec needs a name")
    data = {
        "apiVersion": "kops.k8s.io/v1alpha2",
        "kind": kind.__name__,
        "metadata": {"name": name, **{key: value for key, value in metadata.items() if value}},
        "spec": dict(spec),
    }
    return manifest.from_data(data, where=f"{kind.__name__} {name}")
