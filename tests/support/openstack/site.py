# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the services of one OpenStack share."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ansible_collections.kubeops.kops.tests.support.etcd import free_ports
from ansible_collections.kubeops.kops.tests.support.openstack.database import Database
from ansible_collections.kubeops.kops.tests.support.openstack.keystone import PASSWORD, REGION
from ansible_collections.kubeops.kops.tests.support.openstack.messages import Messages
from ansible_collections.kubeops.kops.tests.support.openstack.services import HOST, Services

DOMAIN = "Default"
# The project and the user of the services.
SERVICE = "service"


def login(auth_url: str, user: str, project: str) -> dict[str, str]:
    """How a user logs in, as keystoneauth has it."""
    return {
        "auth_url": auth_url,
        "username": user,
        "password": PASSWORD,
        "project_name": project,
        "user_domain_name": DOMAIN,
        "project_domain_name": DOMAIN,
    }


@dataclass(frozen=True)
class Site:
    """What a service needs of the others. urls: name of a service -> where it is."""

    services: Services
    auth_url: str
    database: Database
    messages: Messages
    urls: dict[str, str]

    def login(self, **more: object) -> dict[str, object]:
        """A section by which a service asks another one."""
        given = login(self.auth_url, SERVICE, SERVICE)
        return {**given, "auth_type": "password", "region_name": REGION, **more}

    def authtoken(self, kind: str) -> dict[str, object]:
        """The section by which a service asks who its callers are (keystonemiddleware.auth_token). kind: its type."""
        roles = {"service_token_roles": SERVICE, "service_token_roles_required": "false"}
        return self.login(www_authenticate_uri=self.auth_url, service_type=kind, **roles)

    def default(self, **more: object) -> dict[str, object]:
        """The section DEFAULT."""
        # Each worker serves connections that clients keep open, and no more than the pool: those of a whole test run.
        pool = {"wsgi_default_pool_size": 1000}
        return {"transport_url": self.messages.url, "use_stderr": "true", "state_path": self.directory, **pool, **more}

    def stored(self, name: str) -> dict[str, object]:
        """The section of a database."""
        return {"connection": self.database.url(name), "max_pool_size": 5, "max_overflow": 20}

    @property
    def directory(self) -> pathlib.Path:
        """For what services write."""
        return self.services.directory

    def share(self, name: str) -> pathlib.Path:
        """What Debian's package of a service has beside its programs."""
        return self.services.root / "usr/share" / f"{name}-common"

    @property
    def common(self) -> dict[str, Mapping[str, object]]:
        """Sections that all services read alike."""
        return {
            "oslo_concurrency": {"lock_path": self.directory / "locks"},
            "oslo_messaging_rabbit": {"rabbit_retry_interval": 1, "heartbeat_in_pthread": "false"},
        }


class Part:
    """A service. databases: of its own. kind, path: in the catalog."""

    name: ClassVar[str]
    kind: ClassVar[str]
    path: ClassVar[str] = ""
    databases: ClassVar[tuple[str, ...]] = ()

    def __init__(self, site: Site) -> None:
        self.site, self.services = site, site.services
        (self.port,) = free_ports(1)
        self.url = f"http://{HOST}:{self.port}"
        site.urls[self.name] = self.url
        self.configuration: pathlib.Path | None = None

    @property
    def option(self) -> str:
        """By which its programs find their configuration."""
        return f"--config-file={self.configuration}"

    def sections(self) -> Mapping[str, Mapping[str, object]]:
        """Its configuration; all services have their places by now."""
        raise NotImplementedError

    def configure(self) -> None:
        """Write the configuration."""
        token = {"keystone_authtoken": self.site.authtoken(self.kind)}
        self.configuration = self.services.write(f"{self.name}.conf", {**self.site.common, **token, **self.sections()})

    def prepare(self) -> None:
        """Fill the databases."""
        raise NotImplementedError

    def start(self) -> None:
        """Start the programs."""
        raise NotImplementedError

    def manage(self, program: str, *arguments: str) -> None:
        """Run its program for administrators."""
        self.services.run(self.services.programs / program, self.option, *arguments)

    def start_all(self, *programs: str) -> None:
        """Start programs of Python."""
        for each in programs:
            self.services.start_python(each, self.option)
