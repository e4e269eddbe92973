# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that is Hetzner Cloud here: its API, metadata, and the data centre with its machines."""

from __future__ import annotations

import datetime
import shlex
import sys
from typing import Any

from ansible_collections.kubeops.kops.tests.lab.cloud import datacentre, disks, machines, network
from ansible_collections.kubeops.kops.tests.lab.cloud.balancers import Balancer, Target
from ansible_collections.kubeops.kops.tests.lab.cloud.plain_metadata import Metadata
from ansible_collections.kubeops.kops.tests.lab.cloud.routes import Routes
from ansible_collections.kubeops.kops.tests.lab.hetzner import account, metadata
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

# User data is run once, as cloud-init does. A public address is the server's own.
_USER_DATA = """
import json
SERVICE = "http://169.254.169.254/hetzner/v1"
address = ask(f"{SERVICE}/metadata/public-ipv4").decode()
if address:
    subprocess.run(["ip", "address", "replace", f"{address}/32", "dev", "lo"], check=True)
open_for("\\n".join(json.loads(ask(f"{SERVICE}/metadata/public-keys"))).encode())
run_once(ask(f"{SERVICE}/userdata"))
"""


class Hetzner:
    """What the data centre asks."""

    def __init__(self, api: HetznerServer) -> None:
        self._api, self._project = api, api.project
        self._servers: dict[str, dict[str, Any]] = {}
        self._routes = Routes()
        self.metadata = Metadata()

    def read(self) -> datacentre.State:
        """See Cloud."""
        with self._api.lock:
            return self._read()

    def _read(self) -> datacentre.State:
        objects, told = self._project.objects, self._project.servers.user_data
        objects.tick()
        found = [each for each in objects.all("servers") if metadata.private_address(each)]
        self._servers = {each["name"]: each for each in found}
        self.metadata.servers = {
            metadata.private_address(each): metadata.paths_of(each, told.get(each["id"], "")) for each in found
        }
        self._routes.show({f"{metadata.public_address(each)}/32": metadata.private_address(each) for each in found})
        names = {each["id"]: each["name"] for each in found if each["status"] == "running"}
        volumes = objects.all("volumes")
        return datacentre.State(
            machines={each["name"]: each["id"] in names for each in found},
            balancers=[self._balancer(each) for each in objects.all("load_balancers") if each["private_net"]],
            names={each["name"]: [metadata.private_address(each)] for each in found},
            disks={str(each["id"]) for each in volumes},
            attached={str(each["id"]): _attached(each, names) for each in volumes if each["server"] in names},
        )

    def _balancer(self, balancer: dict[str, Any]) -> Balancer:
        """It sends to the servers that its label selectors choose."""
        chosen = {}
        for target in balancer["targets"]:
            for each in self._project.objects.chosen("servers", target["label_selector"]["selector"]):
                if metadata.private_address(each):
                    chosen[each["name"]] = metadata.private_address(each)
        own = metadata.private_address(balancer)
        listeners = {
            each["listen_port"]: Target(each["destination_port"], "", dict(chosen)) for each in balancer["services"]
        }
        # Its targets are in the network, and so is it.
        return Balancer(balancer["name"], "", [balancer["public_net"]["ipv4"]["ip"], own], listeners, own)

    def start(self, name: str) -> None:
        """See Cloud."""
        options = machines.files_of("hetzner", _USER_DATA, account.endpoints())
        machines.start(name, name, metadata.private_address(self._servers[name]), options)


def _attached(volume: dict[str, Any], names: dict[int, str]) -> disks.Attachment:
    link = f"scsi-0HC_Volume_{volume['id']}"
    return disks.Attachment(names[volume["server"]], volume["size"], link, f"/dev/{link}")


def run() -> None:
    """Work for ever."""
    api = HetznerServer(network.BRIDGE.gateway, account.PORT)
    # Addresses of this machine in the network.
    api.project.networks.kept = {network.RESOLVER, network.BRIDGE.reserve}
    api.project.objects.now = lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    cloud = Hetzner(api)
    with api:
        cloud.metadata.serve()
        account.CENTRE.ready.touch()
        datacentre.run(cloud)


if __name__ == "__main__":
    print(shlex.join(sys.argv), flush=True)
    run()
