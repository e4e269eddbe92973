# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that is Google Cloud here: its APIs, Cloud Storage, metadata, and the data centre with its machines."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import cache
from ansible_collections.kubeops.kops.tests.lab.cloud import datacentre, disks, machines, network
from ansible_collections.kubeops.kops.tests.lab.cloud.routes import Routes
from ansible_collections.kubeops.kops.tests.lab.google import account, forwarding, metadata, routes
from ansible_collections.kubeops.kops.tests.lab.google.tpms import DEVICE, TPMs
from ansible_collections.kubeops.kops.tests.support import storage_server
from ansible_collections.kubeops.kops.tests.support.google import server
from ansible_collections.kubeops.kops.tests.support.google.server import GoogleServer
from ansible_collections.kubeops.kops.tests.support.moto_consoles import console

# User data is run once, as cloud-init does; a startup script at each boot, as Google's agent does.
_USER_DATA = """
ATTRIBUTES = "http://169.254.169.254/computeMetadata/v1/instance/attributes"
headers = {"Metadata-Flavor": "Google"}
keys = ask(f"{ATTRIBUTES}/ssh-keys", **headers)
if keys:
    open_for(b"\\n".join(line.partition(b":")[2].strip() for line in keys.splitlines()))
run_once(ask(f"{ATTRIBUTES}/user-data", **headers))
script = ask(f"{ATTRIBUTES}/startup-script", **headers)
if script:
    run(script, "startup-script")
"""


class Google:
    """What the data centre asks."""

    def __init__(self, apis: GoogleServer) -> None:
        self._apis = apis
        self.metadata = metadata.Metadata()
        directory = cache.directory() / "google-tpms"
        shutil.rmtree(directory, ignore_errors=True)
        self._tpms = TPMs(directory)
        self._routes = Routes()
        self._instances: dict[str, dict[str, Any]] = {}
        self._consoles = cache.directory() / "google-consoles"
        self._consoles.mkdir(exist_ok=True)
        apis.compute.console = lambda instance: console(self._consoles / instance["name"])
        apis.compute.shielded = lambda instance: {"signingKey": {"ekPub": self._tpms.public_key(instance["name"])}}

    def read(self) -> datacentre.State:
        """See Cloud."""
        with self._apis.objects.lock:
            return self._read()

    def _read(self) -> datacentre.State:
        objects = self._apis.objects
        present = {each["name"]: each for path, each in objects.found.items() if "/instances/" in path}
        # One that was made again has its name, and another id: its machine goes first.
        again = {name for name, each in present.items() if self._instances.get(name, each)["id"] != each["id"]}
        present = {name: each for name, each in present.items() if name not in again}
        for name in self._instances.keys() - present.keys():
            self._tpms.remove(name)
        self._instances = present
        self.metadata.instances = {metadata.address_of(each): metadata.paths_of(each) for each in present.values()}
        self._routes.show(routes.of_project(objects))
        volumes = {each["name"]: each for path, each in objects.found.items() if "/disks/" in path}
        attached = {}
        for instance in present.values():
            for disk in instance.get("disks", ()):
                name = str(disk.get("source", "")).rpartition("/")[2]
                if name in volumes and instance["status"] == "RUNNING":
                    link, size = f"google-{disk['deviceName']}", int(volumes[name]["sizeGb"])
                    alias = f"/dev/disk/by-id/scsi-0Google_PersistentDisk_{disk['deviceName']}"
                    attached[name] = disks.Attachment(instance["name"], size, link, alias)
        return datacentre.State(
            machines={name: each["status"] == "RUNNING" for name, each in present.items()},
            balancers=forwarding.balancers(self._apis.compute),
            names={
                "metadata.google.internal": [network.METADATA],
                **{name: [metadata.address_of(each)] for name, each in present.items()},
                **self._records(),
            },
            disks=set(volumes),
            attached=attached,
        )

    def _records(self) -> dict[str, list[str]]:
        """Of all managed zones."""
        found: dict[str, list[str]] = {}
        for records in self._apis.dns.records.values():
            for (kind, name), record in records.items():
                if kind in ("A", "AAAA"):
                    found.setdefault(name.rstrip("."), []).extend(record["rrdatas"])
        return found

    def start(self, name: str) -> None:
        """See Cloud."""
        options = ["--volume", f"{self._tpms.device(name)}:{DEVICE}"]
        # What is printed to its console is what Google gives as the output of its serial port.
        options += ["--tty", "--log-driver", "k8s-file", "--log-opt", f"path={self._consoles / name}"]
        options += machines.files_of("google", _USER_DATA, account.endpoints())
        machines.start(name, name, metadata.address_of(self._instances[name]), options)


@dataclass(frozen=True)
class Access:
    """Who may do what. The controller's token may do everything."""

    cloud: Google
    apis: GoogleServer

    def is_known(self, token: str) -> bool:
        """Whether a token is the controller's, or of an instance's account."""
        return token == server.TOKEN or bool(self.cloud.metadata.tokens.account(token))

    def may(self, token: str, bucket: str, permission: str) -> bool:
        """Whether the bucket's policy lets whoever has a token do something."""
        if token == server.TOKEN:
            return True
        member = f"serviceAccount:{self.cloud.metadata.tokens.account(token)}"
        bindings = self.apis.identity.policies.get(f"b/{bucket}", {}).get("bindings", ())
        roles = {each["role"].rpartition(".")[2] for each in bindings if member in each["members"]}
        reads = permission.rpartition(".")[2] in ("get", "list")
        return bool(roles & {"objectAdmin", "admin"} or (reads and roles & {"objectViewer", "legacyBucketReader"}))


def run() -> None:
    """Work for ever."""
    apis = GoogleServer(network.BRIDGE.gateway, account.PORT)
    cloud = Google(apis)
    server.write_credentials(account.URL, account.credentials())
    access = Access(cloud, apis)
    apis.accepts, apis.compute.outside = access.is_known, "198.51"
    address = (network.BRIDGE.gateway, account.STORAGE_PORT)
    with apis, storage_server.running(*address) as (_url, storage):
        storage.may, storage.policy = access.may, apis.bucket_policy
        cloud.metadata.serve()
        account.ready().touch()
        datacentre.run(cloud)


if __name__ == "__main__":
    print(shlex.join(sys.argv), flush=True)
    run()
