# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of what runs on control planes in clouds: a file of the NodeConfig for each program.

The controller writes such a file by `text`, and the program reads it by `load` (node/system/json_files.py).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

# Where user data tells an instance what it is (boot.py).
BOOT_FILE = "/etc/kubeops/boot.json"
# The administrator's, which control planes have.
KUBECONFIG = "/var/lib/kubectl/kubeconfig"


@dataclass(frozen=True)
class Settings:
    """Base of all. FILE: where a node has them. TITLE: what the file is, for messages."""

    FILE: ClassVar[str]
    TITLE: ClassVar[str]

    def text(self) -> str:
        """The content of the file, without what is as it is anyway."""
        said = {each.name: getattr(self, each.name) for each in dataclasses.fields(self) if not self._is_default(each)}
        return json.dumps(said, indent=1, sort_keys=True) + "\n"

    def _is_default(self, declared: dataclasses.Field[Any]) -> bool:
        if declared.default_factory is not dataclasses.MISSING:
            return bool(getattr(self, declared.name) == declared.default_factory())
        return bool(getattr(self, declared.name) == declared.default)


@dataclass(frozen=True)
class ControllersSettings(Settings):
    """Of the controllers of a control plane.

    cloud, cluster: their names. node: the name of the node. store: URL of the cluster's directory in the store. boot:
    the file that user data has written. lock: is held by the process, of which there is one on a machine.
    """

    FILE: ClassVar[str] = "/etc/kubernetes/kops-controller-manager/config.json"
    TITLE: ClassVar[str] = "the configuration of controllers"

    cloud: str
    cluster: str
    node: str
    store: str
    kubeconfig: str
    boot: str = BOOT_FILE
    lock: str = "/run/kops/controllers.lock"


@dataclass(frozen=True)
class BootstrapServerSettings(Settings):
    """Of a bootstrap server.

    cloud, cluster, store: as above. workers: by what the cloud knows the cluster's workers. named_by_address: whether
    nodes have names that the cloud makes of their addresses. certificate, key: files. authorities: file with those of
    nodes' certificates. node: the name of the node. kubeconfig: by which Nodes are asked for.
    elsewhere: as in store_places.py.
    """

    FILE: ClassVar[str] = "/etc/kubernetes/kops-controller/config.json"
    TITLE: ClassVar[str] = "the configuration of a bootstrap server"

    cloud: str
    cluster: str
    store: str
    workers: Mapping[str, Any]
    port: int
    certificate: str
    key: str
    authorities: str
    node: str
    kubeconfig: str = KUBECONFIG
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    named_by_address: bool = False


@dataclass(frozen=True)
class EtcdBackupsSettings(Settings):
    """Of backups of etcd on schedule.

    control: URL of the directory in which restores are ordered. schedules: etcd cluster -> its backups: store (URL),
    interval, hourly and daily (how long they are kept), in seconds.
    """

    FILE: ClassVar[str] = "/etc/kubernetes/etcd-backups/config.json"
    TITLE: ClassVar[str] = "the configuration of backups of etcd"

    cloud: str
    control: str
    schedules: Mapping[str, Mapping[str, object]]
    boot: str = BOOT_FILE


@dataclass(frozen=True)
class EtcdNamesSettings(Settings):
    """Of the names of etcd's members. names: etcd cluster -> name of its members. file: of hosts, to be kept right."""

    FILE: ClassVar[str] = "/etc/kubernetes/etcd-hosts/config.json"
    TITLE: ClassVar[str] = "the configuration of names of etcd's members"

    cloud: str
    cluster: str
    file: str
    names: Mapping[str, str]
