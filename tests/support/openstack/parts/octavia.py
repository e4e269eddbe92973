# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia: load balancers without instances (drivers/kubeops_balancers.py)."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.support.etcd import free_ports
from ansible_collections.kubeops.kops.tests.support.openstack.keystone import REGION
from ansible_collections.kubeops.kops.tests.support.openstack.services import HOST
from ansible_collections.kubeops.kops.tests.support.openstack.site import Part


class Octavia(Part):
    name, kind, databases = "octavia", "load-balancer", ("octavia",)

    def sections(self) -> Mapping[str, Mapping[str, object]]:
        directory = self.site.directory
        authority, key = directory / "octavia.pem", directory / "octavia.key"
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-subj",
                "/CN=octavia",
                "-keyout",
                key,
                "-out",
                authority,
            ],
            check=True,
            capture_output=True,
        )
        (health,) = free_ports(1)
        noop = {f"{each}_driver": f"{each}_noop_driver" for each in ("amphora", "compute", "volume", "image")}
        sockets = {f"{each}_socket_path": directory / f"octavia-{each}" for each in ("status", "stats", "get")}
        return {
            "DEFAULT": {"transport_url": self.site.messages.url, "use_stderr": "true"},
            "api_settings": {
                "bind_host": HOST,
                "bind_port": self.port,
                "auth_strategy": "keystone",
                "api_base_uri": self.url,
                "enabled_provider_drivers": "amphora:instances that are none",
                "default_provider_driver": "amphora",
            },
            "database": self.site.stored("octavia"),
            "service_auth": self.site.login(),
            "neutron": self.site.login(),
            "nova": {"region_name": REGION, "enable_anti_affinity": "false"},
            "health_manager": {"heartbeat_key": "a", "bind_ip": HOST, "controller_ip_port_list": f"{HOST}:{health}"},
            "certificates": {
                "cert_generator": "local_cert_generator",
                "cert_manager": "local_cert_manager",
                "ca_certificate": authority,
                "ca_private_key": key,
                "server_certs_key_passphrase": "insecure-key-do-not-use-this-key",
            },
            "haproxy_amphora": {"server_ca": authority, "client_cert": authority, "connection_max_retries": 3},
            "controller_worker": {
                **noop,
                "workers": 1,
                "network_driver": "kubeops",
                "loadbalancer_topology": "SINGLE",
                "client_ca": authority,
                "amp_boot_network_list": "",
                "amp_flavor_id": "",
                "amp_image_tag": "amphora",
            },
            "oslo_messaging": {"topic": "octavia_prov", "rpc_thread_pool_size": 2},
            "task_flow": {"engine": "serial"},
            "driver_agent": sockets,
        }

    def prepare(self) -> None:
        self.manage("octavia-db-manage", "upgrade", "head")

    def start(self) -> None:
        self.services.start_wsgi("octavia", self.port, "octavia-wsgi", self.option)
        self.start_all("octavia-worker")
        self.services.wait_for("octavia", self.url)
