# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nova: servers that run nowhere (its own driver for tests), on as many hosts as are asked for."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.openstack_sealing import line_of
from ansible_collections.kubeops.kops.tests.support.openstack import packages
from ansible_collections.kubeops.kops.tests.support.openstack.keystone import REGION
from ansible_collections.kubeops.kops.tests.support.openstack.memory import public_key
from ansible_collections.kubeops.kops.tests.support.openstack.services import DRIVERS, HOST
from ansible_collections.kubeops.kops.tests.support.openstack.site import Part, Site


class Nova(Part):
    """hosts: their names; servers of one anti-affinity group need one each."""

    name, kind, path = "nova", "compute", "/v2.1"
    databases = ("nova", "nova_api", "nova_cell0")

    def __init__(self, site: Site, hosts: tuple[str, ...]) -> None:
        super().__init__(site)
        self.hosts = hosts

    def sections(self) -> Mapping[str, Mapping[str, object]]:
        return {
            "DEFAULT": self.site.default(
                my_ip=HOST,
                host=self.hosts[0],
                compute_driver="kubeops_servers.ServerDriver",
                enabled_apis="osapi_compute",
                osapi_compute_listen=HOST,
                osapi_compute_listen_port=self.port,
                osapi_compute_workers=1,
                default_availability_zone="nova",
                # Otherwise hosts are heard of after a minute.
                periodic_fuzzy_delay=0,
                resume_guests_state_on_host_boot="false",
            ),
            "api_database": self.site.stored("nova_api"),
            "database": self.site.stored("nova"),
            "api": {"auth_strategy": "keystone"},
            "wsgi": {"api_paste_config": self.site.share("nova") / "api-paste.ini"},
            "placement": self.site.login(),
            "neutron": self.site.login(),
            "cinder": self.site.login(os_region_name=REGION, catalog_info="volumev3::publicURL"),
            "service_user": self.site.login(send_service_user_token="true"),
            "glance": {"api_servers": self.site.urls["glance"]},
            "vnc": {"enabled": "false"},
            "scheduler": {"workers": 1, "discover_hosts_in_cells_interval": 3},
            "conductor": {"workers": 1},
            "filter_scheduler": {"track_instance_changes": "false"},
            "key_manager": {"backend": "nova.keymgr.conf_key_mgr.ConfKeyManager"},
        }

    def prepare(self) -> None:
        self.manage("nova-manage", "api_db", "sync")
        self.manage(
            "nova-manage", "cell_v2", "map_cell0", "--database_connection", self.site.database.url("nova_cell0")
        )
        self.manage("nova-manage", "cell_v2", "create_cell", "--name", "cell1")
        self.manage("nova-manage", "db", "sync")

    def start(self) -> None:
        self.start_all("nova-conductor", "nova-scheduler", "nova-api")
        for host in self.hosts:
            place = self.site.directory / host
            (place / "instances").mkdir(parents=True)
            own = self.services.write(f"nova-{host}.conf", {"DEFAULT": {"host": host, "state_path": place}})
            options = (self.option, f"--config-file={own}")
            console = {"KUBEOPS_CONSOLE": line_of(public_key())}
            self.services.start(
                f"nova-compute-{host}", packages.PYTHON, DRIVERS / "kubeops_compute.py", *options, **console
            )
        self.services.wait_for("nova-api", self.url)
