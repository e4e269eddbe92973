# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Glance: images."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.support.openstack.services import HOST
from ansible_collections.kubeops.kops.tests.support.openstack.site import Part


class Glance(Part):
    name, kind, databases = "glance", "image", ("glance",)

    def sections(self) -> Mapping[str, Mapping[str, object]]:
        images = self.site.directory / "images"
        images.mkdir()
        address = {"bind_host": HOST, "bind_port": self.port, "workers": 0}
        return {
            "DEFAULT": self.site.default(**address, enabled_backends="files:file"),
            "database": self.site.stored("glance"),
            "paste_deploy": {"flavor": "keystone", "config_file": self.site.share("glance") / "glance-api-paste.ini"},
            "glance_store": {"default_backend": "files"},
            "files": {"filesystem_store_datadir": images},
        }

    def prepare(self) -> None:
        self.manage("glance-manage", "db_sync")

    def start(self) -> None:
        self.start_all("glance-api")
        self.services.wait_for("glance-api", self.url)
