# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An OpenStack on loopback, of its own services, with users as a project has them."""

from __future__ import annotations

import contextlib
import pathlib
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openstack
from ansible_collections.kubeops.kops.tests.support.openstack import packages
from ansible_collections.kubeops.kops.tests.support.openstack.database import Database
from ansible_collections.kubeops.kops.tests.support.openstack.keystone import PASSWORD, REGION, Keystone
from ansible_collections.kubeops.kops.tests.support.openstack.messages import Messages
from ansible_collections.kubeops.kops.tests.support.openstack.parts.cinder import VOLUME_TYPE, Cinder
from ansible_collections.kubeops.kops.tests.support.openstack.parts.designate import Designate
from ansible_collections.kubeops.kops.tests.support.openstack.parts.glance import Glance
from ansible_collections.kubeops.kops.tests.support.openstack.parts.neutron import Neutron
from ansible_collections.kubeops.kops.tests.support.openstack.parts.nova import Nova
from ansible_collections.kubeops.kops.tests.support.openstack.parts.octavia import Octavia
from ansible_collections.kubeops.kops.tests.support.openstack.parts.placement import Placement
from ansible_collections.kubeops.kops.tests.support.openstack.services import Services
from ansible_collections.kubeops.kops.tests.support.openstack.site import DOMAIN, SERVICE, Part, Site, login
from ansible_collections.kubeops.kops.tests.support.openstack.swift import Swift

OBJECTS = "object-store"
# What a whole cloud offers its users.
EXTERNAL, EXTERNAL_CIDR = "external", "203.0.113.0/24"
FLAVOR, IMAGE = "medium", "debian-12"
# Zone -> number of its hosts, where tests do not say.
ZONES = {"az-1": 1, "az-2": 1}
_HOSTS_KNOWN_WITHIN = 600
# Of a member of a project; the second is for load balancers.
_ROLES = ("member", "load-balancer_member")


class OpenStack:
    """Users and objects: the running Keystone and Swift. swift_type: what Swift is told of its own type."""

    def __init__(self, services: Services, database: str = "", swift_type: str = OBJECTS) -> None:
        self.services, self.keystone = services, Keystone(services, database)
        self.admin = self._as_admin()
        for role in ("service", "load-balancer_admin", "load-balancer_member"):
            self.admin.identity.create_role(name=role)
        self._add_user(SERVICE, SERVICE, ("admin", "service"))
        token = {**login(self.keystone.url, SERVICE, SERVICE), "auth_type": "password", "service_type": swift_type}
        self.swift = Swift(services, token)
        self.add_service("swift", OBJECTS, f"{self.swift.url}/v1/AUTH_%(project_id)s")

    def _as_admin(self) -> Any:
        """A connection, which knows the services that are in the catalog by now."""
        return openstack.connect(auth=login(self.keystone.url, "admin", "admin"), region_name=REGION)

    def user(self, name: str, project: str = "") -> dict[str, str]:
        """A new member of a project, which may be new: what is in its environment. project: as the user if ""."""
        self._add_user(name, project or name, _ROLES)
        auth = login(self.keystone.url, name, project or name)
        return {"OS_REGION_NAME": REGION, **{f"OS_{key.upper()}": value for key, value in auth.items()}}

    def add_service(self, name: str, kind: str, url: str) -> None:
        """Put a service into the catalog."""
        identity = self.admin.identity
        service = identity.create_service(name=name, type=kind)
        for interface in ("public", "internal"):
            identity.create_endpoint(service_id=service.id, interface=interface, url=url, region_id=REGION)

    def _add_user(self, name: str, project: str, roles: tuple[str, ...]) -> None:
        identity = self.admin.identity
        domain = identity.find_domain(DOMAIN, ignore_missing=False).id
        where = identity.find_project(project) or identity.create_project(name=project, domain_id=domain)
        user = identity.create_user(name=name, password=PASSWORD, domain_id=domain, default_project_id=where.id)
        for role in roles:
            found = identity.find_role(role, ignore_missing=False)
            identity.assign_project_role_to_user(where.id, user.id, found.id)


class Cloud(OpenStack):
    """A whole cloud: servers, networks, volumes, load balancers and names, too. zones: name -> number of its hosts."""

    def __init__(self, services: Services, zones: Mapping[str, int]) -> None:
        database, messages = Database(services), Messages(services)
        database.make("keystone")
        super().__init__(services, database.url("keystone"))
        admin = self.admin.identity
        where, who = admin.find_project("admin"), admin.find_user("admin")
        admin.assign_project_role_to_user(where.id, who.id, admin.find_role("load-balancer_admin").id)
        site = Site(services, self.keystone.url, database, messages, {})
        hosts = {f"{zone}-{number}": zone for zone, count in zones.items() for number in range(1, count + 1)}
        self.designate = Designate(site)
        first = (Placement(site), Glance(site), Neutron(site), Cinder(site), Octavia(site), self.designate)
        self.parts: tuple[Part, ...] = (*first, Nova(site, tuple(hosts)))
        database.make(*(name for part in self.parts for name in part.databases))
        with ThreadPoolExecutor(2) as pool:
            for step in (self._configure, lambda part: part.prepare(), lambda part: part.start()):
                for _done in pool.map(step, self.parts):
                    pass
        self.admin = self._as_admin()
        self._know(hosts)
        self._offer()

    def _configure(self, part: Part) -> None:
        part.configure()
        self.add_service(part.name, part.kind, f"{part.url}{part.path}")

    def _know(self, hosts: Mapping[str, str]) -> None:
        """Wait until Nova knows its hosts, and put them into their zones."""
        compute = self.admin.compute
        deadline = time.monotonic() + _HOSTS_KNOWN_WITHIN
        while {each.name for each in compute.hypervisors() if each.state == "up"} != set(hosts):
            if time.monotonic() > deadline:
                raise AssertionError(f"Nova does not know {', '.join(hosts)}")
            time.sleep(0.5)
        for zone in dict.fromkeys(hosts.values()):
            aggregate = compute.create_aggregate(name=zone, availability_zone=zone)
            for host in (name for name, where in hosts.items() if where == zone):
                compute.add_host_to_aggregate(aggregate, host)

    def _offer(self) -> None:
        """What users of a cloud find there: a network outside, a flavor, an image, a type of volumes."""
        provider = {"provider_network_type": "flat", "provider_physical_network": EXTERNAL}
        network = self.admin.network.create_network(name=EXTERNAL, is_router_external=True, **provider)
        self.admin.network.create_subnet(network_id=network.id, ip_version=4, cidr=EXTERNAL_CIDR, enable_dhcp=False)
        self.admin.compute.create_flavor(name=FLAVOR, ram=4096, vcpus=2, disk=20)
        # Nobody reads it.
        given = {"data": b"0" * 512, "container_format": "bare", "disk_format": "raw", "visibility": "public"}
        self.admin.create_image(IMAGE, wait=True, min_disk=12, **given)
        self.admin.block_storage.create_type(name=VOLUME_TYPE)


@contextlib.contextmanager
def running(directory: pathlib.Path, swift_type: str = OBJECTS) -> Iterator[OpenStack]:
    """Users and objects for as long as the block runs. directory: for all that the services write."""
    with Services(directory, packages.OBJECTS) as services:
        yield OpenStack(services, swift_type=swift_type)


@contextlib.contextmanager
def whole(directory: pathlib.Path, zones: Mapping[str, int]) -> Iterator[Cloud]:
    """A whole cloud for as long as the block runs. directory, zones: as above."""
    with Services(directory, packages.SERVERS) as services:
        yield Cloud(services, zones)
