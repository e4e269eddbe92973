# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which members of etcd an instance is: by the volumes that it attaches, in clouds.

A volume is a member, whichever instance has it. Whether an etcd cluster has been formed is said by a file beside its
backups that etcd-manager has, too (pkg/commands/vfs.go); beside it is one for each member that has had data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...base.errors import ConfigError, KopsError
from ...exchange.document import fill
from ...exchange.items import Volume
from ...exchange.schema import read
from ..etcd.disk import Birth, Owner, prepare
from ..etcd.manifest import has_data, image_of, options_of, parse_initial_cluster
from ..etcd.takeover import Start
from ..keys.secrets_document import StoreSource
from ..stores.store import Store
from ..system.machine import Machine
from ..system.waiting import say
from .etcd_newcomer import Newcomer, Other, client_context
from .member_disks import EtcdDisk, EtcdDisks

_PREFIX = "ETCD_"
_PEER_URLS = "initial-advertise-peer-urls"
_NEW = "new"


class Members:
    """The members of this instance.

    base: URL of the cluster's directory in the store. facts: of the node. source: the keysets. check: only look.
    """

    def __init__(
        self,
        disks: EtcdDisks,
        store: Store,
        machine: Machine,
        config: Mapping[str, Any],
        base: str,
        facts: Mapping[str, str],
        source: StoreSource,
        *,
        check: bool = False,
    ) -> None:
        self._disks, self._store = disks, store
        self._machine, self._config, self._check = machine, config, check
        self._facts, self._source = facts, source
        self._backups = f"{base.rstrip('/')}/backups/etcd"

    def facts(self) -> dict[str, str]:
        """The facts ETCD_* that the NodeConfig needs; none for a group without members. Raises KopsError, OSError."""
        etcds = self._etcds()
        if not etcds:
            return {}
        cluster, group = self._config["cluster"], self._config["instanceGroup"]
        disks = self._disks.etcd_disks(cluster, group, etcds, check=self._check)
        facts: dict[str, str] = {}
        for etcd, disk in disks.items():
            say(f"this is member {disk.member} of etcd cluster {etcd}: it has volume {disk.volume}, {disk.device}")
            named = {_fact(etcd, "MEMBER"): disk.member, _fact(etcd, "DEVICE"): disk.device}
            birth = self._birth(etcd, disk, named)
            facts.update(named)
            facts[_fact(etcd, "INITIAL_CLUSTER")] = birth.initial_cluster
            facts[_fact(etcd, "INITIAL_STATE")] = birth.initial_state
            facts[_fact(etcd, "VOLUME")] = disk.volume
        return facts

    def remember(self, facts: Mapping[str, str]) -> None:
        """Write down in the store that the etcd clusters are formed, and that these members have data."""
        for etcd in self._etcds():
            volume = self._volume(etcd, facts)
            if not has_data(self._machine.root, f"{volume.mount}/data"):
                continue
            said = {"initialCluster": facts[_fact(etcd, "INITIAL_CLUSTER")]}
            mine = self._had_data(etcd, facts[_fact(etcd, "MEMBER")])
            for path in (self._formed(etcd), mine):
                # Where the data is may change, but not how the etcd cluster was formed.
                content = {**said, "volume": facts[_fact(etcd, "VOLUME")]} if path == mine else said
                try:
                    before = self._store.read(path)
                    if before is None or (path == mine and _said(before) != content):
                        self._store.write(path, json.dumps(content).encode())
                except (KopsError, OSError) as error:
                    # Only a member that loses its disk needs it; a node does not wait for that.
                    say(f"{path} is not written, the next boot tries it again: {error}")

    def _etcds(self) -> list[str]:
        """The etcd clusters of the group, in the order in which all instances take volumes: main first."""
        needed = {name.split("_")[1].lower() for name in self._config.get("facts") or () if name.startswith(_PREFIX)}
        return sorted(needed, key=lambda name: (name != "main", name))

    def _birth(self, etcd: str, disk: EtcdDisk, named: Mapping[str, str]) -> Birth:
        owner = Owner(self._config["cluster"], etcd, disk.member, disk.volume)
        volume, start = self._volume(etcd, named), self._start(etcd, disk.member)
        return prepare(
            self._machine, volume, owner, start, lambda: self._born(etcd, owner, disk, start), check=self._check
        )

    def _born(self, etcd: str, owner: Owner, disk: EtcdDisk, start: Start) -> Birth:
        """The birth of a member whose disk is empty. Raises KopsError if others do not let it in, or must not."""
        formed = self._store.read(self._formed(etcd))
        if formed is None:
            return Birth(self._everybody(etcd, disk.members), _NEW)
        born, had = (
            str(_said(formed).get("initialCluster") or ""),
            self._store.read(self._had_data(etcd, disk.member)),
        )
        if had is not None and _said(had).get("volume") == disk.volume:
            raise KopsError(
                f"{owner} is empty, but the member has had data on this very volume. Restore a snapshot of it, or a "
                "backup of the etcd cluster; to get the data from the other members, give the member another, empty "
                f"volume, or remove {self._had_data(etcd, disk.member)}; if the data of no member is needed, remove "
                f"{self._control(etcd)}/"
            )
        newcomer = self._newcomer(etcd, owner, start)
        if start.name in parse_initial_cluster(born) and had is None and not newcomer.has_begun():
            # The others have begun without it; it has been expected since then.
            return Birth(born, _NEW)
        say(f"{owner} is empty, and the etcd cluster has been formed: the member joins the others")
        return newcomer.join(check=self._check)

    def _newcomer(self, etcd: str, owner: Owner, start: Start) -> Newcomer:
        addresses = self._disks.etcd_addresses(self._config["cluster"])
        others = [
            Other(self._start(etcd, member), address)
            for (each, member), address in sorted(addresses.items())
            if each == etcd and member != owner.member
        ]
        url = options_of(self._manifest(etcd)).get("advertise-client-urls", "")
        facts = {**self._facts, _fact(etcd, "MEMBER"): owner.member}
        context = client_context(self._machine, self._config, self._source, etcd, facts)
        return Newcomer(owner, start, others, int(url.rpartition(":")[2]), context, self._control(etcd))

    def _everybody(self, etcd: str, members: tuple[str, ...]) -> str:
        """The initial cluster: names and URLs of all members."""
        starts = [self._start(etcd, member) for member in sorted(members)]
        return ",".join(f"{start.name}={start.peer_url}" for start in starts)

    def _start(self, etcd: str, member: str) -> Start:
        """How a member is started, here or elsewhere: members differ in their names only."""
        manifest, marker = self._manifest(etcd), f"@@{_fact(etcd, 'MEMBER')}@@"
        options = options_of(manifest)
        name, url = options.get("name", ""), options.get(_PEER_URLS, "")
        if marker not in name or marker not in url:
            raise ConfigError([f"the NodeConfig does not say by which name members of etcd cluster {etcd} are reached"])
        return Start(name.replace(marker, member), url.replace(marker, member), image_of(manifest))

    def _manifest(self, etcd: str) -> str:
        pods = {pod["name"]: pod["content"] for pod in self._config.get("staticPods") or ()}
        return str(pods.get(f"etcd-{etcd}", ""))

    def _volume(self, etcd: str, facts: Mapping[str, str]) -> Volume:
        """What the NodeConfig says of the member's disk."""
        device = f"@@{_fact(etcd, 'DEVICE')}@@"
        for each in self._config.get("volumes") or ():
            if each.get("device") == device:
                problems: list[str] = []
                volume = read(Volume, fill(each, facts), "volumes", problems)
                if problems:
                    raise ConfigError(problems)
                return volume
        raise ConfigError([f"the NodeConfig has no volume for the members of etcd cluster {etcd}"])

    def _control(self, etcd: str) -> str:
        """Where etcd-manager has such files, too: beside the backups, which may be in a store of their own."""
        directories = self._config.get("etcdControl") or {}
        return str(directories.get(etcd) or f"{self._backups}/{etcd}/control")

    def _formed(self, etcd: str) -> str:
        return f"{self._control(etcd)}/etcd-cluster-created"

    def _had_data(self, etcd: str, member: str) -> str:
        return f"{self._control(etcd)}/kubeops-member-{member}"


def _said(content: bytes) -> dict[str, Any]:
    """What a file of the directory control says; nothing for one that etcd-manager has written."""
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _fact(etcd: str, what: str) -> str:
    return f"{_PREFIX}{etcd.upper()}_{what}"
