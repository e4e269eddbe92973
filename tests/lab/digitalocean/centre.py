# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that is DigitalOcean here: its API, metadata, and the data centre with its machines."""

from __future__ import annotations

import itertools
import shlex
import sys
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import definitions, file_repository
from ansible_collections.kubeops.kops.tests.lab.cloud import datacentre, disks, machines, network
from ansible_collections.kubeops.kops.tests.lab.cloud.balancers import Balancer, Target
from ansible_collections.kubeops.kops.tests.lab.cloud.plain_metadata import Metadata
from ansible_collections.kubeops.kops.tests.lab.cloud.routes import Routes
from ansible_collections.kubeops.kops.tests.lab.digitalocean import account, metadata
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.rest_server import RestServer

# User data is run once, as cloud-init does. A public address is the droplet's own.
_USER_DATA = """
import json
SERVICE = "http://169.254.169.254/metadata"
said = json.loads(ask(f"{SERVICE}/v1.json"))
for each in said["interfaces"].get("public", ()):
    subprocess.run(["ip", "address", "replace", each["ipv4"]["ip_address"] + "/32", "dev", "lo"], check=True)
open_for("\\n".join(said["public_keys"]).encode())
run_once(ask(f"{SERVICE}/v1/user-data"))
"""
# Of the network: before it are the addresses of this machine.
_FIRST_HOST = 16


class DigitalOcean:
    """What the data centre asks."""

    def __init__(self, server: RestServer, known: Account) -> None:
        self._server, self._account = server, known
        self._droplets: dict[str, dict[str, Any]] = {}
        self._routes = Routes()
        self.metadata = Metadata()

    def read(self) -> datacentre.State:
        """See Cloud."""
        with self._server.lock:
            return self._read()

    def _read(self) -> datacentre.State:
        self._account.pending.tick()
        droplets, told = self._account.droplets, self._account.droplets.user_data
        found = [each for each in droplets.objects.values() if metadata.address_of(each)]
        self._droplets = {each["name"]: each for each in found}
        self.metadata.servers = {
            metadata.address_of(each): metadata.paths_of(each, told.get(each["id"], "")) for each in found
        }
        self._routes.show({f"{metadata.address_of(each, 'public')}/32": metadata.address_of(each) for each in found})
        names = {each["id"]: each["name"] for each in found if each["status"] == "active"}
        volumes = list(self._account.volumes.objects.values())
        return datacentre.State(
            machines={each["name"]: each["id"] in names for each in found},
            balancers=[self._balancer(each) for each in self._account.networks.shown_balancers() if each["ip"]],
            names={each["name"]: [metadata.address_of(each)] for each in found},
            disks={str(each["id"]) for each in volumes},
            attached={
                str(volume["id"]): _attached(volume, names[holder])
                for volume in volumes
                for holder in volume["droplet_ids"]
                if holder in names
            },
        )

    def _balancer(self, balancer: dict[str, Any]) -> Balancer:
        by_id = self._account.droplets.objects
        chosen = {by_id[each]["name"]: metadata.address_of(by_id[each]) for each in balancer["droplet_ids"]}
        present = {name: address for name, address in chosen.items() if address}
        listeners = {
            each["entry_port"]: Target(each["target_port"], "", dict(present)) for each in balancer["forwarding_rules"]
        }
        return Balancer(balancer["name"], "", [balancer["ip"]], listeners)

    def start(self, name: str) -> None:
        """See Cloud."""
        options = machines.files_of("digitalocean", _USER_DATA, account.endpoints())
        machines.start(name, name, metadata.address_of(self._droplets[name]), options)


def _attached(volume: dict[str, Any], holder: str) -> disks.Attachment:
    link = f"scsi-0DO_Volume_{volume['name']}"
    return disks.Attachment(holder, volume["size_gigabytes"], link, f"/dev/{link}")


def run() -> None:
    """Work for ever."""
    known = Account()
    known.droplets.hosts = itertools.count(_FIRST_HOST)
    server = RestServer(known, "", network.BRIDGE.gateway, account.PORT)
    cloud = DigitalOcean(server, known)
    # The definitions of snapshots come with the driver of volumes.
    with server, file_repository.running() as repository:
        repository.files.update(definitions.published())
        cloud.metadata.serve()
        # Where its clusters find them.
        account.CENTRE.ready.write_text(repository.url)
        datacentre.run(cloud)


if __name__ == "__main__":
    print(shlex.join(sys.argv), flush=True)
    run()
