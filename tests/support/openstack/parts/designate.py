# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Designate: zones and records, which its own name server (mdns) answers for."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.support.etcd import free_ports
from ansible_collections.kubeops.kops.tests.support.openstack.services import HOST
from ansible_collections.kubeops.kops.tests.support.openstack.site import Part, Site


class Designate(Part):
    """dns_port: of the name server."""

    name, kind, databases = "designate", "dns", ("designate",)

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        (self.dns_port,) = free_ports(1)

    def sections(self) -> Mapping[str, Mapping[str, object]]:
        one = {"workers": 1, "threads": 100}
        return {
            "DEFAULT": self.site.default(root_helper="sudo"),
            "service:api": {
                **one,
                "listen": f"{HOST}:{self.port}",
                "auth_strategy": "keystone",
                "api_paste_config": self.site.share("designate") / "api-paste.ini",
                "enable_api_v2": "true",
                "enable_host_header": "true",
            },
            "service:central": one,
            "service:worker": {
                **one,
                "poll_delay": 1,
                "poll_retry_interval": 1,
                "poll_timeout": 5,
                "poll_max_retries": 10,
            },
            "service:mdns": {**one, "listen": f"{HOST}:{self.dns_port}"},
            "storage:sqlalchemy": self.site.stored("designate"),
        }

    def prepare(self) -> None:
        self.manage("designate-manage", "database", "sync")

    def start(self) -> None:
        self.start_all("designate-central", "designate-api", "designate-worker", "designate-mdns")
        self.services.wait_for("designate-api", self.url)
        place = {"host": HOST, "port": self.dns_port}
        pool = {
            "name": "default",
            "description": "the only one",
            "attributes": {},
            "ns_records": [{"hostname": "ns1.example.test.", "priority": 1}],
            "nameservers": [place],
            "targets": [{"type": "fake", "description": "none", "masters": [place], "options": place}],
        }
        file = self.site.directory / "pools.yaml"
        file.write_text(json.dumps([pool]))
        self.manage("designate-manage", "pool", "update", "--file", str(file))
