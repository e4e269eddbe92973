# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Placement: what hosts have, for the scheduler."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.support.openstack.site import Part


class Placement(Part):
    name, kind, databases = "placement", "placement", ("placement",)

    def sections(self) -> Mapping[str, Mapping[str, object]]:
        return {
            "DEFAULT": self.site.default(),
            "placement_database": self.site.stored("placement"),
            "api": {"auth_strategy": "keystone"},
        }

    def prepare(self) -> None:
        self.manage("placement-manage", "db", "sync")

    def start(self) -> None:
        place = {"OS_PLACEMENT_CONFIG_DIR": str(self.site.directory)}
        self.services.start_wsgi("placement", self.port, "placement-api", **place)
        self.services.wait_for("placement", self.url)
