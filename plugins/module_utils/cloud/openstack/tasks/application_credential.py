# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: the application credential by which control planes, and controllers in the cluster, use OpenStack.

It is of the user that makes it, and its secret is said once: it is kept as a secret of the cluster in the state store.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....base.errors import KopsError
from ....engine.task import computed
from ....statestore.secrets import OPENSTACK_CREDENTIAL, Secrets
from ....statestore.vfs.open import open_path
from ...errors import AccessDenied
from ...tasks._store import listed, want_listing
from .. import names
from ..cloud import OpenStackCloud
from ..kinds import application_credential
from ._openstack import OpenStackTask

_OTHERWISE = (
    "an application credential makes no others: log in by password, or make one yourself and store its id and secret,"
    f""" as {{"id": "...", "secret": "..."}}, by kubeops.kops.secret as {OPENSTACK_CREDENTIAL}"""
)


@dataclass(eq=False, repr=False)
class ApplicationCredential(OpenStackTask):
    """One that is in the store is the cluster's, whoever has made it, as long as Keystone knows it.

    Its task name is the cluster's. base: URL of the store's directory of secrets. title: what Keystone calls it.
    """

    base: str | None = None
    title: str | None = computed()

    def prepare(self, cloud: OpenStackCloud) -> None:
        want_listing(cloud, str(self.base))

    def find(self, cloud: OpenStackCloud) -> ApplicationCredential | None:
        if listed(cloud, str(self.base), OPENSTACK_CREDENTIAL) is None:
            return None
        found = ApplicationCredential(self.name, base=self.base, title=_title(cloud))
        found.id = found.value["id"]
        return found if cloud.accepts(found.value) else None

    @functools.cached_property
    def value(self) -> dict[str, str]:
        """Id and secret, as the store has them. Raises KopsError if it has none. No field: nobody shows it."""
        return credential_in(str(self.base))

    def create(self, cloud: OpenStackCloud) -> None:
        kind, name = application_credential(cloud.user), _title(cloud)
        wanted = {"name": name, "description": f"control planes of the cluster {cloud.cluster_name}"}
        try:
            for each in own_credentials(cloud):
                # Its secret was lost with the run that made it.
                if each["name"] == name:
                    cloud.delete(kind, str(each["id"]))
            made = cloud.make(kind, wanted)
        except AccessDenied as error:
            raise AccessDenied(f"{error}; {_OTHERWISE}") from error
        self.value = {"id": str(made["id"]), "secret": str(made["secret"])}
        self.id = self.value["id"]
        Secrets(open_path(str(self.base))).store(OPENSTACK_CREDENTIAL, json.dumps(self.value).encode())


def _title(cloud: OpenStackCloud) -> str:
    return names.application_credential(cloud.cluster_name, cloud.project)


def credential_in(base: str) -> dict[str, str]:
    """Id and secret, as a store's directory of secrets has them. Raises KopsError if it has none."""
    try:
        found = json.loads(Secrets(open_path(base)).find(OPENSTACK_CREDENTIAL) or b"")
        return {"id": str(found["id"]), "secret": str(found["secret"])}
    except (ValueError, KeyError, TypeError) as error:
        raise KopsError(f"{base}/{OPENSTACK_CREDENTIAL} has no id and secret of an application credential") from error


def own_credentials(cloud: OpenStackCloud) -> list[Mapping[str, Any]]:
    """All of the login's user."""
    user = cloud.user
    return [*cloud.read(application_credential(user), user=user)]
