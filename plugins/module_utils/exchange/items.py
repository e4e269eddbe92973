# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of a NodeConfig (version 1): one class for each kind of item.

Keys are the attributes in camelCase. Each item may have a condition (`when`). Reports and restartOn refer to an item
by its label, KIND:identity, such as "file:/etc/hosts".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from .distributions import DISTRIBUTIONS, FAMILIES, TRAITS
from .schema import (
    a_checksum,
    a_flag,
    a_line,
    a_mode,
    a_name,
    a_number,
    a_path,
    a_place,
    a_sysctl,
    a_sysctl_value,
    a_text,
    a_unit,
    a_url,
    an_item,
    items_of,
    list_of,
    mapping,
    one_of,
    optional,
    required,
)

# The keyset of the cluster's own CA, and how long kops' certificates of nodes are valid at least.
KUBERNETES_CA = "kubernetes-ca"
ARCHITECTURES = ("amd64", "arm64")
VALID_HOURS = 455 * 24


@dataclass(frozen=True)
class When:
    """A condition. All given fields must match, each by any of its values.

    family, trait: of distributions.py. distribution: a row's name ("ubuntu-24.04"). architecture: amd64, arm64.
    """

    family: list[str] = optional(list_of(one_of(*FAMILIES)), list)
    distribution: list[str] = optional(list_of(one_of(*(row.name for row in DISTRIBUTIONS))), list)
    trait: list[str] = optional(list_of(one_of(*TRAITS)), list)
    architecture: list[str] = optional(list_of(one_of(*ARCHITECTURES)), list)


@dataclass(frozen=True)
class Item:
    """Base class of all items."""

    KIND: ClassVar[str] = ""
    IDENTITY: ClassVar[str] = "name"

    when: When = optional(an_item(When), When)

    @property
    def label(self) -> str:
        """The item's name in reports and in restartOn."""
        return f"{self.KIND}:{getattr(self, self.IDENTITY)}"


@dataclass(frozen=True)
class KernelModule(Item):
    """A kernel module. required: an error instead of a warning if the kernel does not have it."""

    KIND: ClassVar[str] = "module"
    name: str = required(a_name)
    required: bool = optional(a_flag, False)


@dataclass(frozen=True)
class Sysctl(Item):
    """A kernel parameter. required: an error instead of a warning if the kernel does not have it.

    key: with dots ("net.ipv4.ip_forward"); * matches any part of a name.
    """

    KIND: ClassVar[str] = "sysctl"
    IDENTITY: ClassVar[str] = "key"
    key: str = required(a_sysctl)
    value: str = required(a_sysctl_value)
    required: bool = optional(a_flag, False)


@dataclass(frozen=True)
class Group(Item):
    """A group. gid: any free one by default."""

    KIND: ClassVar[str] = "group"
    name: str = required(a_name)
    gid: int | None = optional(a_number)


@dataclass(frozen=True)
class User(Item):
    """A user. Fields that are not set follow the distribution's defaults. groups: supplementary groups."""

    KIND: ClassVar[str] = "user"
    name: str = required(a_name)
    uid: int | None = optional(a_number)
    group: str = optional(a_line, "")
    home: str = optional(a_path, "")
    shell: str = optional(a_path, "")
    groups: list[str] = optional(list_of(a_name), list)


@dataclass(frozen=True)
class AptSource(Item):
    """An apt repository. keyring: URL of its ASCII-armoured key. sources: lines of the list; $(ARCH) is replaced."""

    KIND: ClassVar[str] = "aptSource"
    name: str = required(a_name)
    keyring: str = required(a_url)
    sources: list[str] = required(list_of(a_line))


@dataclass(frozen=True)
class Package(Item):
    """A package of the distribution. hold: upgrades of the distribution do not change it."""

    KIND: ClassVar[str] = "package"
    name: str = required(a_name)
    version: str = optional(a_line, "")
    hold: bool = optional(a_flag, False)


@dataclass(frozen=True)
class Directory(Item):
    """A directory. Missing parent directories are created with mode 0755.

    mode, owner, group: only of a directory that was created for it. One that was there before is not ours alone.
    """

    KIND: ClassVar[str] = "directory"
    IDENTITY: ClassVar[str] = "path"
    path: str = required(a_path)
    mode: int = optional(a_mode, 0o755)
    owner: str = optional(a_line, "root")
    group: str = optional(a_line, "root")


@dataclass(frozen=True)
class Link(Item):
    """A symbolic link at path that points to target."""

    KIND: ClassVar[str] = "link"
    IDENTITY: ClassVar[str] = "path"
    path: str = required(a_path)
    target: str = required(a_line)


@dataclass(frozen=True)
class File(Item):
    """A file. Its content is content, or the entry of the secrets document that reference names.

    If the secrets document has no such entry, the node's present file stays. secret: never shown in reports; always
    true with a reference. once: created if it does not exist, and never changed. block: the content is a block in a
    file of another owner, between two comment lines that contain this word.
    """

    KIND: ClassVar[str] = "file"
    IDENTITY: ClassVar[str] = "path"
    path: str = required(a_path)
    content: str | None = optional(a_text)
    reference: str = optional(a_line, "")
    mode: int = optional(a_mode, 0o644)
    owner: str = optional(a_line, "root")
    group: str = optional(a_line, "root")
    secret: bool = optional(a_flag, False)
    once: bool = optional(a_flag, False)
    block: str = optional(a_line, "")


@dataclass(frozen=True)
class Unpack:
    """Where members of an archive are installed.

    member: a path or a pattern. dest: a file, or a directory if it ends with /.
    """

    member: str = required(a_line)
    dest: str = required(a_place)
    mode: int = optional(a_mode, 0o755)

    @property
    def is_pattern(self) -> bool:
        """Whether member may match several files."""
        return any(sign in self.member for sign in "*?[")


@dataclass(frozen=True)
class Download(Item):
    """A downloaded file: installed at dest, or an archive (tar, compressed or not) whose members are unpacked.

    urls: tried in this order. size: in bytes; used to detect a full disk before the download.
    """

    KIND: ClassVar[str] = "download"
    name: str = required(a_line)
    urls: list[str] = required(list_of(a_url))
    sha256: str = required(a_checksum)
    dest: str = optional(a_path, "")
    mode: int = optional(a_mode, 0o755)
    unpack: list[Unpack] = items_of(Unpack)
    version: str = optional(a_line, "")
    size: int = optional(a_number, 0)


@dataclass(frozen=True)
class Unit(Item):
    """A systemd unit. content: None if the unit is part of the distribution.

    restart_on: labels of items whose change restarts the unit. A kind alone ("sysctl"), or a prefix that ends with /,
        stands for all matching items. The unit's own files always count.
    quiet_restart_on: those of restart_on for which a restart disturbs no workloads, so it needs no rolling update.
    awaits: HOST:PORT of a TLS server that a start waits for, but not for long: without it, the program would only try
        again and again, at growing intervals.
    """

    KIND: ClassVar[str] = "unit"
    name: str = required(a_unit)
    content: str | None = optional(a_text)
    drop_ins: dict[str, str] = optional(mapping(a_name), dict)
    enabled: bool = optional(a_flag, True)
    state: str = optional(one_of("started", "stopped"), "started")
    restart_on: list[str] = optional(list_of(a_line), list)
    quiet_restart_on: list[str] = optional(list_of(a_line), list)
    awaits: str = optional(a_line, "")


@dataclass(frozen=True)
class StaticPod(Item):
    """A static pod. content: its manifest. restart_on: as in Unit.

    last: written only after all checks succeeded, except checks named like such pods; before, the pod would only fail.
    interrupts: a restart disturbs workloads, so it needs a rolling update.
    """

    KIND: ClassVar[str] = "staticPod"
    name: str = required(a_name)
    content: str = required(a_text)
    restart_on: list[str] = optional(list_of(a_line), list)
    last: bool = optional(a_flag, False)
    interrupts: bool = optional(a_flag, True)


@dataclass(frozen=True)
class Image(Item):
    """A container image from an archive. name: its name in containerd, or only the last part of the repository."""

    KIND: ClassVar[str] = "image"
    name: str = required(a_line)
    urls: list[str] = required(list_of(a_url))
    sha256: str = required(a_checksum)
    size: int = optional(a_number, 0)


@dataclass(frozen=True)
class Volume(Item):
    """A mounted volume. device: a disk; it is formatted if it has no filesystem. directory: bind mount of a directory.

    format_options: arguments of mkfs.
    """

    KIND: ClassVar[str] = "volume"
    name: str = required(a_line)
    mount: str = required(a_path)
    device: str = optional(a_path, "")
    directory: str = optional(a_path, "")
    filesystem: str = optional(a_name, "ext4")
    format_options: list[str] = optional(list_of(a_line), list)
    options: str = optional(a_line, "")


@dataclass(frozen=True)
class Log:
    """The log to show if a check fails: the journal of a unit, or a file (or pattern)."""

    unit: str = optional(a_name, "")
    file: str = optional(a_path, "")


@dataclass(frozen=True)
class Check(Item):
    """A health check at the end of a run.

    kind and target: unit and its name; http and a URL; tcp and HOST:PORT; file and a path.
    deadline: seconds from the start of the checks.
    ca, client_certificate, client_key: files for https. Without ca, the server's certificate is not verified.
    """

    KIND: ClassVar[str] = "check"
    name: str = required(a_line)
    kind: str = required(one_of("unit", "http", "tcp", "file"))
    target: str = required(a_line)
    deadline: int = optional(a_number, 60)
    log: Log = optional(an_item(Log), Log)
    ca: str = optional(a_path, "")
    client_certificate: str = optional(a_path, "")
    client_key: str = optional(a_path, "")


@dataclass(frozen=True)
class Certificate(Item):
    """A certificate that the node has, with a key of its own. kind: a PEM file, or a kubeconfig that contains it.

    What it has to be, for those who issue it (certificates.py): common_name, organizations: of its subject.
    alternate_names: DNS names and addresses. signer: the keyset that signs. validity_hours: see validity().
    server: the URL of the API server in a kubeconfig. with_authority: the file goes on with the signer's certificate.
    """

    KIND: ClassVar[str] = "certificate"
    name: str = required(a_line)
    path: str = required(a_path)
    key: str = optional(a_path, "")
    kind: str = optional(one_of("pem", "kubeconfig"), "pem")
    common_name: str = optional(a_line, "")
    organizations: list[str] = optional(list_of(a_line), list)
    alternate_names: list[str] = optional(list_of(a_line), list)
    type: str = optional(one_of("client", "server", "clientServer"), "client")
    signer: str = optional(a_name, KUBERNETES_CA)
    validity_hours: int = optional(a_number, VALID_HOURS)
    server: str = optional(a_url, "")
    with_authority: bool = optional(a_flag, False)


@dataclass(frozen=True)
class Absent:
    """Files and units that must not exist, whether they are ours or not."""

    files: list[str] = optional(list_of(a_path), list)
    units: list[str] = optional(list_of(a_name), list)


@dataclass(frozen=True)
class WarmPool:
    """What instances do that are prepared and stopped, until their group needs them.

    images: to pull. group: its name in the cloud. hook: by which the group waits for the instance; "" if it does not.
    """

    images: list[str] = optional(list_of(a_line), list)
    group: str = optional(a_line, "")
    hook: str = optional(a_line, "")


@dataclass(frozen=True)
class Config:
    """A NodeConfig; items are applied in this order. hash: sha256 of its canonical JSON.

    environment: of what the converger runs, and of its downloads (a proxy).
    node_labels, certificates, etcd_control, warm_pool: not used by the converger, but by those who label nodes, issue
    certificates, and boot.
    """

    schema: int = required(a_number)
    cluster: str = required(a_line)
    instance_group: str = required(a_line)
    role: str = required(a_line)
    architecture: str = required(a_line)
    kubernetes_version: str = required(a_line)
    facts: list[str] = optional(list_of(a_line), list)
    environment: dict[str, str] = optional(mapping(a_name), dict)
    apt_sources: list[AptSource] = items_of(AptSource)
    packages: list[Package] = items_of(Package)
    groups: list[Group] = items_of(Group)
    users: list[User] = items_of(User)
    kernel_modules: list[KernelModule] = items_of(KernelModule)
    sysctls: list[Sysctl] = items_of(Sysctl)
    volumes: list[Volume] = items_of(Volume)
    directories: list[Directory] = items_of(Directory)
    links: list[Link] = items_of(Link)
    files: list[File] = items_of(File)
    downloads: list[Download] = items_of(Download)
    units: list[Unit] = items_of(Unit)
    images: list[Image] = items_of(Image)
    static_pods: list[StaticPod] = items_of(StaticPod)
    absent: Absent = optional(an_item(Absent), Absent)
    checks: list[Check] = items_of(Check)
    node_labels: dict[str, str] = optional(mapping(a_line), dict)
    etcd_control: dict[str, str] = optional(mapping(a_line), dict)
    certificates: list[Certificate] = items_of(Certificate)
    warm_pool: WarmPool | None = optional(an_item(WarmPool))
    hash: str = ""

    def items(self) -> Iterator[tuple[str, Item]]:
        """Every item with its path in the document ("files[3]")."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, list):
                for index, each in enumerate(value):
                    if isinstance(each, Item):
                        yield f"{field.name}[{index}]", each
