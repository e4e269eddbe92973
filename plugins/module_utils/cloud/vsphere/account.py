# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What decides which virtual machines a cluster has, and where: those that there are, and what vCenter has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from ...api.vsphere import VSphereSpec
from ...base.errors import FieldError, KopsError
from ..pools.numbers import Numbers
from . import inventory
from .cloud import VSphereCloud
from .login import PORT
from .numbers import numbers_of


@dataclass(frozen=True)
class Account:
    """A vCenter that is asked when somebody wants to know."""

    cloud: VSphereCloud

    def numbers(self, group: str) -> Numbers:
        """Those of the virtual machines of an instance group."""
        return numbers_of(self.cloud, group)

    def server(self) -> str:
        """Where vCenter is, as the login says it."""
        given = self.cloud.login()
        return given.host if given.port == PORT else f"{given.host}:{given.port}"

    def datastore(self, reference: str) -> str:
        """The name of the datastore that a specification means. Raises KopsError."""
        return inventory.named(inventory.datastore(self.cloud, reference, "etcdDatastore"))

    def folder(self, reference: str) -> str:
        """The path of the folder in which the cluster's is made. Raises KopsError."""
        found = inventory.parent_folder(self.cloud, reference)
        return self.cloud.once(inventory.inventory).path(found)

    def missing(self, spec: VSphereSpec) -> Iterator[FieldError]:
        """What a specification names and vCenter does not have, or has several of."""
        cloud, compute = self.cloud, spec.compute_cluster or ""
        looks: list[tuple[str, str | None, Callable[[], object]]] = [
            ("computeCluster", spec.compute_cluster, partial(inventory.compute_cluster, cloud, compute)),
            (
                "resourcePool",
                spec.resource_pool,
                partial(inventory.parent_pool, cloud, compute, spec.resource_pool or ""),
            ),
            ("folder", spec.folder, partial(inventory.parent_folder, cloud, spec.folder or "")),
            ("datastore", spec.datastore, partial(inventory.datastore, cloud, spec.datastore or "")),
            ("network", spec.network, partial(inventory.network, cloud, spec.network or "")),
        ]
        if spec.etcd_datastore:
            of_etcd = partial(inventory.datastore, cloud, spec.etcd_datastore, "etcdDatastore")
            looks.append(("etcdDatastore", spec.etcd_datastore, of_etcd))
        try:
            inventory.datacenter(cloud)
        except KopsError as error:
            looks = []
            yield self._problem("datacenter", spec.datacenter, error)
        for field, value, look in looks:
            try:
                look()
            except KopsError as error:
                yield self._problem(field, value, error)

    def _problem(self, field: str, value: str | None, error: KopsError) -> FieldError:
        path = f"spec.cloudProvider.vsphere.{field}"
        return FieldError("NotFound", path, str(error).removeprefix(f"{path}: "), value)
