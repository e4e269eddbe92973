# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that is OpenStack here: its services, metadata, and the data centre with its machines."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ansible_collections.kubeops.kops.tests.lab import cache
from ansible_collections.kubeops.kops.tests.lab.cloud import datacentre, disks, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.balancers import Balancer, Target
from ansible_collections.kubeops.kops.tests.lab.openstack import account, metadata
from ansible_collections.kubeops.kops.tests.support.openstack import cloud
from ansible_collections.kubeops.kops.tests.support.openstack.cloud import Cloud

# User data is run once, as cloud-init does.
_USER_DATA = """
import json
SERVICE = "http://169.254.169.254"
keys = json.loads(ask(f"{SERVICE}/openstack/latest/meta_data.json")).get("public_keys") or {}
if keys:
    open_for("\\n".join(keys.values()).encode())
run_once(ask(f"{SERVICE}/openstack/latest/user_data"))
"""
# Nova shows user data to administrators, from this version of its API on.
_MICROVERSION = "2.3"
# How old may be what is read of load balancers and volumes, in seconds: each service needs its share of the processor.
_BALANCERS, _VOLUMES, _SERVERS = 5.0, 2.0, 1.0

Found = TypeVar("Found")


class Remembered:
    """Reads something again when it is too old."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, Any]] = {}

    def read(self, name: str, seconds: float, read: Callable[[], Found]) -> Found:
        """What read() gave, at most so many seconds ago."""
        moment, found = self._known.get(name, (0.0, None))
        if time.monotonic() - moment > seconds or found is None:
            found = read()
            self._known[name] = time.monotonic(), found
        result: Found = found
        return result


class OpenStack:
    """What the data centre asks."""

    def __init__(self, running: Cloud) -> None:
        self._admin = running.admin
        self._remembered = Remembered()
        self._servers: dict[str, dict[str, Any]] = {}
        self.metadata = metadata.Metadata()

    def read(self) -> datacentre.State:
        """See Cloud."""
        servers = self._remembered.read("servers", _SERVERS, self._read_servers)
        self._servers = {each["name"]: each for each in servers if metadata.address_of(each)}
        self.metadata.servers = {metadata.address_of(each): each for each in self._servers.values()}
        volumes = self._remembered.read("volumes", _VOLUMES, self._read_volumes)
        balancers = self._remembered.read("balancers", _BALANCERS, self._read_balancers)
        names = {each["id"]: each["name"] for each in self._servers.values()}
        attached = {}
        for volume in volumes:
            for each in volume["attachments"]:
                if each["server_id"] in names:
                    link = f"virtio-{volume['id'][:20]}"
                    alias = f"/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_{volume['id']}"
                    attached[volume["id"]] = disks.Attachment(names[each["server_id"]], volume["size"], link, alias)
        return datacentre.State(
            machines={name: each["status"] == "ACTIVE" for name, each in self._servers.items()},
            balancers=[Balancer(*each[:3], _targets(each[3], self._servers)) for each in balancers],
            names={name: [metadata.address_of(each)] for name, each in self._servers.items()},
            disks={each["id"] for each in volumes},
            attached=attached,
        )

    def start(self, name: str) -> None:
        """See Cloud."""
        # What is printed to its console is what Nova gives as its output.
        options = ["--tty", "--log-driver", "k8s-file", "--log-opt", f"path={account.consoles() / name}"]
        options += machines.files_of("openstack", _USER_DATA, {})
        machines.start(name, name, metadata.address_of(self._servers[name]), options)

    def _read_servers(self) -> list[dict[str, Any]]:
        answer = self._admin.compute.get("/servers/detail?all_tenants=1", microversion=_MICROVERSION)
        return list(answer.json()["servers"])

    def _read_volumes(self) -> list[dict[str, Any]]:
        answer = self._admin.block_storage.get("/volumes/detail?all_tenants=1")
        return list(answer.json()["volumes"])

    def _read_balancers(self) -> list[tuple[str, str, list[str], list[tuple[int, list[tuple[str, int]]]]]]:
        """Name, no name in DNS, addresses, and (port, members) of each listener."""
        service, found = self._admin.load_balancer, []
        floating = {each.port_id: each.floating_ip_address for each in self._admin.network.ips()}
        pools = {each.id: each for each in service.pools()}
        listeners = list(service.listeners())
        for balancer in service.load_balancers():
            addresses = [balancer.vip_address, *filter(None, [floating.get(balancer.vip_port_id)])]
            ports = []
            for listener in listeners:
                pool = pools.get(listener.default_pool_id)
                if pool is not None and balancer.id in {each["id"] for each in listener.load_balancers}:
                    members = [each for each in service.members(pool) if each.weight]
                    ports.append((listener.protocol_port, [(each.address, each.protocol_port) for each in members]))
            found.append((balancer.name.replace(" ", "-"), "", addresses, ports))
        return found


def _targets(
    listeners: Iterable[tuple[int, list[tuple[str, int]]]], servers: Mapping[str, dict[str, Any]]
) -> dict[int, Target]:
    names = {metadata.address_of(each): name for name, each in servers.items()}
    return {
        port: Target(
            next((number for _address, number in members), port),
            "",
            {names[address]: address for address, _number in members if address in names},
        )
        for port, members in listeners
    }


def run() -> None:
    """Work until it is told to end: its services end with it."""
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    directory = cache.directory() / "openstack"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for file in account.consoles().iterdir():
        file.unlink()
    with cloud.whole(directory, cloud.ZONES) as running:
        login = running.user("lab")
        project = running.admin.identity.find_project("lab").id
        running.admin.network.update_quota(project, security_groups=50, security_group_rules=500)
        running.admin.compute.update_quota_set(project, server_groups=50, instances=50, cores=200, ram=400_000)
        centre = OpenStack(running)
        centre.metadata.serve()
        _make_container(login)
        account.ready().write_text(json.dumps(login))
        datacentre.run(centre)


def _make_container(login: Mapping[str, str]) -> None:
    import openstack

    given = {key[3:].lower(): value for key, value in login.items()}
    region = given.pop("region_name")
    openstack.connect(auth=given, region_name=region).object_store.create_container(account.CONTAINER)


if __name__ == "__main__":
    print(shlex.join(sys.argv), flush=True)
    run()
