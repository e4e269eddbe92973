# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata service of all instances (IMDSv2): who asks is known by its address, as in a VPC."""

from __future__ import annotations

import collections
import http.server
import json
import socket
import threading
import time
from typing import Any

from ansible_collections.kubeops.kops.tests.lab.cloud import account, network
from ansible_collections.kubeops.kops.tests.lab.cloud.instances import Instance
from ansible_collections.kubeops.kops.tests.support import metadata_service

# A role's credentials are made anew when they last for less than this, in seconds.
_RENEWED_BEFORE = 900.0


class Instances:
    """What the service says: address -> path below latest/ -> text. hops: address -> how many hops answers live."""

    def __init__(self) -> None:
        self.paths: dict[str, dict[str, str]] = {}
        self.hops: dict[str, int] = {}
        self._credentials: dict[str, tuple[float, dict[str, str]]] = {}

    def show(self, instances: dict[str, Instance]) -> None:
        """Say from now on what is true of these instances, and nothing of others."""
        self.paths = {each.address: {**_paths(each), **self._role(each)} for each in instances.values()}
        self.hops = {each.address: each.template.hops for each in instances.values()}
        self._credentials = {name: self._credentials[name] for name in instances if name in self._credentials}

    def _role(self, instance: Instance) -> dict[str, str]:
        """The credentials of the instance's role, for which its session is called like the instance."""
        role = instance.template.role
        if not role:
            return {}
        ends, paths = self._credentials.get(instance.id, (0.0, {}))
        if ends < time.time() + _RENEWED_BEFORE:
            given = account.client("sts").assume_role(
                RoleArn=f"arn:aws:iam::{account.NUMBER}:role/{role}", RoleSessionName=instance.id
            )["Credentials"]
            until = given["Expiration"].strftime("%Y-%m-%dT%H:%M:%SZ")
            paths = metadata_service.paths_of_credentials(role, {**given, "Expiration": until})
            self._credentials[instance.id] = (given["Expiration"].timestamp(), paths)
        return paths


def _paths(instance: Instance) -> dict[str, str]:
    data, interface, key = instance.data, instance.interface, instance.template.public_key
    card = f"meta-data/network/interfaces/macs/{interface['MacAddress']}"
    profile = f"arn:aws:iam::{account.NUMBER}:instance-profile/{instance.template.profile}"
    identity = {
        "accountId": account.NUMBER,
        "architecture": data.get("Architecture", "x86_64"),
        "availabilityZone": instance.zone,
        "imageId": data["ImageId"],
        "instanceId": instance.id,
        "instanceType": data["InstanceType"],
        "privateIp": instance.address,
        "region": instance.zone[:-1],
        "version": "2017-09-30",
    }
    return {
        **metadata_service.paths_of_an_instance(instance.id, instance.address, instance.zone),
        "meta-data/ami-id": data["ImageId"],
        "meta-data/autoscaling/target-lifecycle-state": "InService",
        "meta-data/hostname": instance.name,
        "meta-data/iam/info": json.dumps({"Code": "Success", "InstanceProfileArn": profile}),
        "meta-data/instance-type": data["InstanceType"],
        "meta-data/local-hostname": instance.name,
        "meta-data/mac": interface["MacAddress"],
        f"{card}/device-number": "0",
        f"{card}/interface-id": interface["NetworkInterfaceId"],
        f"{card}/local-hostname": instance.name,
        f"{card}/local-ipv4s": instance.address,
        f"{card}/mac": interface["MacAddress"],
        f"{card}/subnet-id": data["SubnetId"],
        f"{card}/vpc-id": data["VpcId"],
        f"{card}/vpc-ipv4-cidr-block": network.BRIDGE.subnet,
        f"{card}/vpc-ipv4-cidr-blocks": network.BRIDGE.subnet,
        "dynamic/instance-identity/document": json.dumps(identity),
        "user-data": instance.user_data,
        **({"meta-data/public-keys/0/openssh-key": key} if key else {}),
    }


def serve(instances: Instances) -> None:
    """Serve in a thread, as long as the process lives."""
    tokens: collections.defaultdict[str, set[str]] = collections.defaultdict(set)

    class Handler(metadata_service.MetadataService):
        @property
        def paths(self) -> dict[str, str]:  # type: ignore[override]
            return instances.paths.get(self.client_address[0], {})

        @property
        def tokens(self) -> set[str]:  # type: ignore[override]
            return tokens[self.client_address[0]]

        def answer(self, status: int, text: str = "", **headers: str) -> None:
            # AWS refuses what a proxy passes on.
            refused = "X-Forwarded-For" in self.headers or not self.paths
            super().answer(403 if refused else status, "" if refused else text, **headers)
            self.asked.clear()

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads, request_queue_size = True, 64

        def get_request(self) -> tuple[Any, Any]:
            connection, caller = super().get_request()
            # Whatever is one hop behind the instance gets no answer.
            connection.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, instances.hops.get(caller[0], 1))
            return connection, caller

    server = Server((network.BRIDGE.gateway, network.METADATA_PORT), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
