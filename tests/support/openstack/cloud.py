# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An OpenStack on loopback, of its own services: Keystone and Swift, with users as a project has them."""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterator
from typing import Any

import openstack
from ansible_collections.kubeops.kops.tests.support.openstack.keystone import PASSWORD, REGION, Keystone
from ansible_collections.kubeops.kops.tests.support.openstack.services import Services
from ansible_collections.kubeops.kops.tests.support.openstack.swift import Swift

_DOMAIN = "Default"
_SERVICE = "service"


class OpenStack:
    """The running services."""

    def __init__(self, services: Services) -> None:
        self._services, self.keystone = services, Keystone(services)
        self._admin = openstack.connect(**self._login("admin", "admin"))
        self._add_user(_SERVICE, _SERVICE, "admin")
        login = self._login(_SERVICE, _SERVICE)
        self.swift = Swift(services, {**login["auth"], "auth_type": "password"})
        self._add_service("swift", "object-store", f"{self.swift.url}/v1/AUTH_%(project_id)s")

    def user(self, name: str, project: str = "") -> dict[str, str]:
        """A new member of a project, which may be new: what is in its environment. project: as the user if ""."""
        self._add_user(name, project or name, "member")
        auth = self._login(name, project or name)["auth"]
        return {"OS_REGION_NAME": REGION, **{f"OS_{key.upper()}": value for key, value in auth.items()}}

    def _login(self, user: str, project: str) -> dict[str, Any]:
        auth = {
            "auth_url": self.keystone.url,
            "username": user,
            "password": PASSWORD,
            "project_name": project,
            "user_domain_name": _DOMAIN,
            "project_domain_name": _DOMAIN,
        }
        return {"auth": auth, "region_name": REGION}

    def _add_user(self, name: str, project: str, role: str) -> None:
        identity = self._admin.identity
        domain = identity.find_domain(_DOMAIN).id
        where = identity.find_project(project) or identity.create_project(name=project, domain_id=domain)
        user = identity.create_user(name=name, password=PASSWORD, domain_id=domain, default_project_id=where.id)
        identity.assign_project_role_to_user(where.id, user.id, identity.find_role(role).id)

    def _add_service(self, name: str, kind: str, url: str) -> None:
        identity = self._admin.identity
        service = identity.create_service(name=name, type=kind)
        identity.create_endpoint(service_id=service.id, interface="public", url=url, region_id=REGION)


@contextlib.contextmanager
def running(directory: pathlib.Path) -> Iterator[OpenStack]:
    """The services for as long as the block runs. directory: for all that they write."""
    with Services(directory) as services:
        yield OpenStack(services)
