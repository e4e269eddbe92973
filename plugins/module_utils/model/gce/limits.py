# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Google Cloud takes as names, types, sizes and labels, as rows (the reference of the Compute Engine API).

kops leaves it to Google, which refuses while Terraform applies. Labels that kops' own cases have are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...api.addresses import parse_cidr
from ...api.cloud_provider import GCESpec
from ...api.clouds import GCE
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.validation.syntax import is_dns_subdomain
from ...base.errors import FieldError
from ...cloud.gce.tasks._google import GoogleTask
from ...engine.task import Deferred
from . import labels, names


@dataclass(frozen=True)
class Form:
    """Which texts Google Cloud takes (allowed: in words)."""

    pattern: re.Pattern[str]
    allowed: str

    def problem(self, text: str) -> str:
        """What is wrong with a text; "" if nothing is."""
        return "" if self.pattern.fullmatch(text) else f"Google Cloud takes {self.allowed}"


def _form(pattern: str, allowed: str) -> Form:
    return Form(re.compile(pattern), allowed)


_RFC1035 = r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?"
NAME = _form(_RFC1035, "1 to 63 lower-case letters, digits and '-', beginning with a letter, not ending with '-'")
# Instances get four characters more.
GROUP = _form(
    r"[a-z](?:[-a-z0-9]{0,56}[a-z0-9])?",
    "1 to 58 lower-case letters, digits and '-', beginning with a letter, not ending with '-'",
)
PROJECT = _form(
    # Old ones have their organisation before them.
    r"(?:[a-z][-a-z0-9]{4,28}[a-z0-9]|[a-z0-9.-]+:[a-z][-a-z0-9]*[a-z0-9])",
    "6 to 30 lower-case letters, digits and '-', beginning with a letter, not ending with '-'",
)
NETWORK_ID = _form(
    rf"(?:{PROJECT.pattern.pattern}/)?{_RFC1035}", "the name of a network, or <project>/<name> of a shared one"
)
ACCOUNT = _form(
    r"default|[a-z0-9][-a-z0-9]*@[a-z0-9][-a-z0-9.]*\.[a-z]+",
    "default, or the email of a service account, such as <account>@<project>.iam.gserviceaccount.com",
)
MACHINE_TYPE = _form(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", "a machine type, such as e2-medium or custom-4-8192")
DISK_TYPE = _form(r"(?:pd|hyperdisk)-[a-z]+(?:-[a-z]+)*", "a type of disk, such as pd-balanced, pd-ssd or pd-standard")
ACCELERATOR = _form(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", "a type of accelerator, such as nvidia-tesla-t4")
IMAGE = _form(
    rf"(?:{PROJECT.pattern.pattern}/)?{_RFC1035}",
    "<image> or <project>/<image>, such as debian-cloud/debian-12-bookworm",
)
LONGEST_LABEL = 63
MOST_LABELS = 64
# GiB of a disk.
MOST_DISK = 65536
# The longest prefix of a subnet's primary range.
LONGEST_PREFIX = 29
# Bytes of an instance's metadata: of one value, and of all.
MOST_VALUE = 256 * 1024
MOST_METADATA = 512 * 1024


def refused(cluster: Cluster, groups: Iterable[InstanceGroup]) -> list[FieldError]:
    """What Google Cloud would refuse of a specification; it need not be completed."""
    found = list(_of_cluster(cluster))
    for group in groups:
        found += _of_group(cluster, group)
    return found


def refused_objects(objects: Iterable[Any]) -> list[FieldError]:
    """What Google Cloud would refuse of tasks, as a last look at all that is made, from whatever it is."""
    found = []
    for task in objects:
        kind = type(task).__name__
        if not isinstance(task, GoogleTask) or getattr(task, "shared", False):
            continue
        problems = []
        if kind in NAMES:
            message = NAMES[kind].problem(str(task.name))
            problems += [f"the name would be {str(task.name)!r}; {message}"] if message else []
        problems += _metadata(getattr(task, "metadata", None) or {})
        found += [FieldError("Invalid", "", f"{kind} {task.name}: {message}") for message in problems]
    return found


def labels_left_out(cluster: Cluster, groups: Iterable[InstanceGroup]) -> list[str]:
    """Sentences about the user's labels that Google Cloud does not take: capitals, dots, slashes, spaces."""
    given = [cluster.spec.cloud_labels, *(group.spec.cloud_labels for group in groups)]
    doubts = {f"{key}={value}": labels.doubt(key, value) for each in given for key, value in each.items()}
    told = {label: doubt for label, doubt in doubts.items() if doubt}
    return [f"no instance gets the label {label}: Google Cloud takes {doubt}" for label, doubt in told.items()]


# Kind of task -> what its attribute `name` may be.
NAMES: dict[str, Form] = dict.fromkeys(
    (
        *("Address", "BackendService", "Disk", "FirewallRule", "ForwardingRule", "HTTPHealthcheck", "HealthCheck"),
        *("InstanceGroupManager", "Network", "Router", "Subnet", "TargetPool"),
    ),
    NAME,
)


def _of_cluster(cluster: Cluster) -> Iterator[FieldError]:
    spec, name = cluster.spec, names.network(str(cluster.metadata.name))
    gce = spec.cloud_provider.gce or GCESpec()
    texts: list[tuple[str, str | None, Form]] = [
        ("spec.cloudProvider.gce.project", gce.project, PROJECT),
        ("spec.cloudProvider.gce.serviceAccount", gce.service_account, ACCOUNT),
        ("spec.networking.networkID", spec.networking.network_id, NETWORK_ID),
    ]
    for index, subnet in enumerate(spec.networking.subnets):
        path = f"spec.networking.subnets[{index}]"
        texts.append((f"{path}.id", subnet.id, NAME))
        network = parse_cidr(subnet.cidr or "")
        if network is not None and network.version == 4 and network.prefixlen > LONGEST_PREFIX:
            yield FieldError(
                "Invalid", f"{path}.cidr", f"the smallest subnet of Google Cloud is a /{LONGEST_PREFIX}", subnet.cidr
            )
    for number, etcd in enumerate(spec.etcd_clusters):
        for position, member in enumerate(etcd.etcd_members):
            path = f"spec.etcdClusters[{number}].etcdMembers[{position}]"
            texts.append((f"{path}.volumeType", member.volume_type, DISK_TYPE))
            yield from _size(f"{path}.volumeSize", member.volume_size)
    message = NAME.problem(name)
    if message:
        yield FieldError("Invalid", "metadata.name", f"its network would be {name!r}; {message}")
    yield from _texts(texts)
    yield from _lengths("spec.cloudLabels", spec.cloud_labels)


def _of_group(cluster: Cluster, group: InstanceGroup) -> Iterator[FieldError]:
    spec, own = group.spec, str(group.metadata.name)
    volume = spec.root_volume
    texts: list[tuple[str, str | None, Form]] = [
        ("spec.machineType", spec.machine_type, MACHINE_TYPE),
        ("spec.image", spec.image, IMAGE),
        ("spec.rootVolume.type", volume.type if volume else None, DISK_TYPE),
    ]
    if is_dns_subdomain(own):
        # It is a label of the instances, and their names begin with it.
        texts.append(("metadata.name", own, GROUP))
    texts += [
        (f"spec.guestAccelerators[{index}].acceleratorType", accelerator.accelerator_type, ACCELERATOR)
        for index, accelerator in enumerate(spec.guest_accelerators)
    ]
    regions = {subnet.region for subnet in cluster.spec.networking.subnets if subnet.region}
    for index, zone in enumerate(spec.zones):
        if regions and GCE.region_of_zone(zone) not in regions:
            message = f"is not a zone of the region {', '.join(sorted(regions))}, in which the subnets are"
            yield FieldError("Invalid", f"spec.zones[{index}]", message, zone, group=own)
    yield from _texts(texts, own)
    yield from _size("spec.rootVolume.size", volume.size if volume else None, own)
    yield from _lengths("spec.cloudLabels", spec.cloud_labels, own)
    for key, size in (("minSize", spec.min_size), ("maxSize", spec.max_size)):
        if (size or 0) < 0:
            yield FieldError("Invalid", f"spec.{key}", "must be 0 or more", size, group=own)


def _texts(texts: Iterable[tuple[str, str | None, Form]], group: str = "") -> Iterator[FieldError]:
    for path, text, form in texts:
        message = form.problem(text) if text else ""
        if message:
            yield FieldError("Invalid", path, message, text, group=group)


def _size(path: str, size: int | None, group: str = "") -> Iterator[FieldError]:
    if size and size > MOST_DISK:
        yield FieldError("Invalid", path, f"Google Cloud takes disks up to {MOST_DISK} GiB", size, group=group)


def _lengths(path: str, given: Mapping[str, str], group: str = "") -> Iterator[FieldError]:
    for key, value in given.items():
        if not key or max(len(key), len(value)) > LONGEST_LABEL:
            message = f"a label of Google Cloud has a key and a value of at most {LONGEST_LABEL} characters"
            yield FieldError("Invalid", path, message, f"{key}={value}", group=group)
        elif key.startswith("goog"):
            message = "labels that begin with goog are reserved by Google Cloud"
            yield FieldError("Forbidden", path, message, key, group=group)
    if len(given) > MOST_LABELS:
        message = f"has {len(given)} labels; Google Cloud takes {MOST_LABELS}, those of the collection among them"
        yield FieldError("TooMany", path, message, group=group)


def _metadata(metadata: Mapping[str, str | Deferred]) -> Iterator[str]:
    # User data as far as it is known yet: the certificates of authorities are a few kilobytes more.
    sizes = {key: len(str(value).encode()) for key, value in metadata.items()}
    for key, size in sizes.items():
        if size > MOST_VALUE:
            yield f"its metadata {key} would have {size} bytes; Google Cloud takes {MOST_VALUE}"
    if sum(sizes.values()) > MOST_METADATA:
        yield f"its metadata would have {sum(sizes.values())} bytes in all; Google Cloud takes {MOST_METADATA}"
