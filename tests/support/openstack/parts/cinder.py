# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cinder: volumes without disks (drivers/kubeops_volumes.py)."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.support.openstack.services import HOST
from ansible_collections.kubeops.kops.tests.support.openstack.site import Part

VOLUME_TYPE = "standard"


class Cinder(Part):
    name, kind, path, databases = "cinder", "volumev3", "/v3/%(project_id)s", ("cinder",)

    def sections(self) -> Mapping[str, Mapping[str, object]]:
        etc = self.services.root / "etc/cinder"
        return {
            "DEFAULT": self.site.default(
                auth_strategy="keystone",
                my_ip=HOST,
                host="volumes",
                osapi_volume_listen=HOST,
                osapi_volume_listen_port=self.port,
                osapi_volume_workers=1,
                api_paste_config=self.site.share("cinder") / "api-paste.ini",
                enabled_backends=VOLUME_TYPE,
                default_volume_type=VOLUME_TYPE,
                glance_api_servers=self.site.urls["glance"],
                backend_stats_polling_interval=5,
                rootwrap_config=etc / "rootwrap.conf",
                resource_query_filters_file=etc / "resource_filters.json",
                use_multipath_for_image_xfer="false",
            ),
            VOLUME_TYPE: {
                "volume_driver": "kubeops_volumes.VolumeDriver",
                "volume_backend_name": VOLUME_TYPE,
                "target_helper": "fake",
            },
            "database": self.site.stored("cinder"),
            "nova": self.site.login(),
            "key_manager": {"backend": "cinder.keymgr.conf_key_mgr.ConfKeyManager"},
        }

    def prepare(self) -> None:
        self.manage("cinder-manage", "db", "sync")

    def start(self) -> None:
        self.start_all("cinder-api", "cinder-scheduler", "cinder-volume")
        self.services.wait_for("cinder-api", self.url)
