# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AWS account in the data centre: a process that looks at it, and serves the metadata of its instances."""

from __future__ import annotations

import pathlib
import shlex
import sys

from ansible_collections.kubeops.kops.tests.lab import cache, processes
from ansible_collections.kubeops.kops.tests.lab.cloud import (
    account,
    account_balancers,
    datacentre,
    disks,
    machines,
    metadata,
)
from ansible_collections.kubeops.kops.tests.lab.cloud.instances import Instance, Reader

_SERVER = "cloud-datacentre"
# Scripts are run once, and the instance's key opens the machine for root.
_USER_DATA = """
import email
if (DONE / "done").exists():
    sys.exit()
LATEST = "http://169.254.169.254/latest"
headers = {"X-aws-ec2-metadata-token-ttl-seconds": "300"}
token = ask(f"{LATEST}/api/token", "PUT", **headers).decode()
headers = {"X-aws-ec2-metadata-token": token}
key = ask(f"{LATEST}/meta-data/public-keys/0/openssh-key", **headers)
if key:
    open_for(key)
text = ask(f"{LATEST}/user-data", **headers)
parts = [text]
if not text.startswith(b"#!"):
    documents = email.message_from_bytes(text).walk()
    parts = [each.get_payload(decode=True) for each in documents if each.get_content_type() == "text/x-shellscript"]
for number, part in enumerate(parts):
    run(part, f"part-{number}")
(DONE / "done").touch()
"""


class Amazon:
    """What a data centre asks; it serves the metadata besides."""

    def __init__(self) -> None:
        self.metadata = metadata.Instances()
        self._reader = Reader()
        self._instances: dict[str, Instance] = {}

    def read(self) -> datacentre.State:
        """See Cloud."""
        instances = self._instances = self._reader.read()
        self.metadata.show(instances)
        found = account_balancers.read(instances)
        own = {each.dns_name: each.addresses for each in found}
        volumes = {each["VolumeId"]: each for each in account.pages("ec2", "describe_volumes", "Volumes")}
        attached = {
            name: disks.Attachment(instance.id, volume["Size"], _link(name), attachment["Device"])
            for name, volume in volumes.items()
            for attachment in volume["Attachments"]
            if (instance := instances.get(attachment["InstanceId"])) is not None
            and instance.runs
            and attachment["Device"] != instance.data.get("RootDeviceName")
        }
        named = {each.name: [each.address] for each in instances.values()}
        return datacentre.State(
            machines={each.id: each.runs for each in instances.values()},
            balancers=found,
            names={**named, **own, **_records(own)},
            disks=set(volumes),
            attached=attached,
        )

    def start(self, name: str) -> None:
        """See Cloud."""
        instance = self._instances[name]
        options = [
            *("--mac-address", instance.interface["MacAddress"]),
            # It has a console, and what is printed there is what EC2 gives as the instance's console output.
            *("--tty", "--log-driver", "k8s-file", "--log-opt", f"path={account.consoles() / instance.id}"),
            *machines.files_of("cloud", _USER_DATA, {"AWS_ENDPOINT_URL": account.URL}),
        ]
        machines.start(instance.id, instance.name.partition(".")[0], instance.address, options)


def _link(volume: str) -> str:
    """What udev calls a volume of AWS, whose name it has without the dash."""
    return f"nvme-Amazon_Elastic_Block_Store_{volume.replace('-', '')}"


def _records(balancers: dict[str, list[str]]) -> dict[str, list[str]]:
    """Name -> addresses, of all hosted zones; public and private ones are seen alike."""
    found: dict[str, list[str]] = {}
    for zone in account.pages("route53", "list_hosted_zones", "HostedZones"):
        for record in account.pages(
            "route53", "list_resource_record_sets", "ResourceRecordSets", HostedZoneId=zone["Id"]
        ):
            name = record["Name"].rstrip(".")
            if "AliasTarget" in record:
                found[name] = balancers.get(_plain(record["AliasTarget"]["DNSName"]), [])
            elif record["Type"] in ("A", "AAAA"):
                found.setdefault(name, []).extend(each["Value"] for each in record["ResourceRecords"])
    return found


def _plain(target: str) -> str:
    """An alias' target as the load balancer calls itself."""
    return target.rstrip(".").removeprefix("dualstack.")


def start() -> None:
    """Start the process, unless it runs."""
    _ready().unlink(missing_ok=True) if not processes.is_running(_SERVER) else None
    processes.start(_SERVER, [sys.executable, "-m", __spec__.name], _ready().exists)


def stop() -> None:
    """Stop it. Machines and disks stay."""
    processes.stop(_SERVER)


def _ready() -> pathlib.Path:
    return cache.directory() / "cloud-datacentre.ready"


if __name__ == "__main__":
    print(shlex.join(sys.argv), flush=True)
    amazon = Amazon()
    metadata.serve(amazon.metadata)
    _ready().touch()
    datacentre.run(amazon)
