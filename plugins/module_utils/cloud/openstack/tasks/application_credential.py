# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: the application credential by which control planes, and controllers in the cluster, use OpenStack.

It is of the user that makes it, and its secret is said once: it is kept as a secret of the cluster in the state store.
It has access rules (access_rules.py), unless a service refuses them. Keystone changes none that is there: one whose
rules lack something gets a successor, and goes when no server was made with it.
"""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ....base.errors import KopsError
from ....engine.task import Change, Deletion, TryAgainLater, computed, internal, unordered
from ....statestore.secrets import OPENSTACK_CREDENTIAL, Secrets
from ....statestore.vfs.open import open_path
from ...errors import AccessDenied, Missing
from ...pools.made_from import digest, parts_of
from ...tasks._store import listed, want_listing
from .. import access_rules, names
from ..cloud import OpenStackCloud, types_of
from ..kinds import SERVER, access_rule, application_credential
from ..logins import Found, ask_all
from ._openstack import OpenStackTask, described

_OTHERWISE = (
    "an application credential makes no others: log in by password, or make one yourself and store its id and secret,"
    f""" as {{"id": "...", "secret": "..."}}, by kubeops.kops.secret as {OPENSTACK_CREDENTIAL}"""
)
_AT_ONCE = 8
_ANOTHER = "another one is made, which control planes have when they are replaced"
_WITHOUT = (
    "the application credential of the cluster has no access rules, as {} took none (is service_type set in the section"
    " keystone_authtoken there?): control planes and controllers may do in the project what its user may"
)
_SILENT = (
    "{} did not answer, so it is not known whether the application credential of the cluster is accepted there with its"
    " access rules"
)
_UNUSED = "no server was made with it any more"


@dataclass(eq=False, repr=False)
class ApplicationCredential(OpenStackTask):
    """One that is in the store is the cluster's, whoever has made it, as long as Keystone knows it.

    Its task name is the cluster's. base: URL of the store's directory of secrets. title: what Keystone calls it.
    rules: what it has to allow at least (access_rules.rules); one that has none of the cluster's allows all.
    refused_by, silent: the services that refuse these rules, and those that did not answer.
    """

    base: str | None = None
    rules: list[str] | None = unordered()
    title: str | None = computed()
    refused_by: list[str] = internal(default_factory=list)
    silent: list[str] = internal(default_factory=list)

    def prepare(self, cloud: OpenStackCloud) -> None:
        want_listing(cloud, str(self.base))

    def find(self, cloud: OpenStackCloud) -> ApplicationCredential | None:
        if listed(cloud, str(self.base), OPENSTACK_CREDENTIAL) is None:
            return None
        value = credential_in(str(self.base))
        login = cloud.logged_in(value)
        if login is None:
            return None
        has = access_rules.known(login.rules, _mark(cloud))
        found = ApplicationCredential(self.name, base=self.base, rules=self.rules, title=login.name)
        found.value = value
        if has and not set(self.rules or ()) <= set(has):
            # Without an id, since it will be another one.
            found.rules = has
        else:
            found.id = value["id"]
        return found

    @functools.cached_property
    def value(self) -> dict[str, str]:
        """Id and secret, as the store has them. Raises KopsError if it has none. No field: nobody shows it."""
        return credential_in(str(self.base))

    def create(self, cloud: OpenStackCloud) -> None:
        if self.id is None:
            self._make(cloud)
        if self.rules and not self.refused_by:
            found = self._asked(cloud)
            self.refused_by, self.silent = found.refusing, found.silent
            if self.refused_by:
                self.id = None
                self._make(cloud)
        Secrets(open_path(str(self.base))).store(OPENSTACK_CREDENTIAL, json.dumps(self.value).encode())
        if self.refused_by:
            remove_unused_rules(cloud)

    def update(self, cloud: OpenStackCloud, actual: ApplicationCredential, changes: dict[str, Change]) -> None:
        self.create(cloud)

    def consequence(self, actual: ApplicationCredential, changes: dict[str, Change]) -> str:
        return _ANOTHER

    def remarks(self) -> list[str]:
        if self.refused_by:
            return [_WITHOUT.format(", ".join(self.refused_by))]
        return [_SILENT.format(", ".join(self.silent))] if self.silent else []

    def deletions(self, cloud: OpenStackCloud, actual: ApplicationCredential | None) -> list[Deletion]:
        """Those that it has succeeded. The first has none before it, so that nothing is asked for it."""
        title = str(actual.title) if actual else ""
        if title == _title(cloud) or not _is_title(cloud, title):
            return []
        with contextlib.suppress(AccessDenied):
            return [self._deletion(cloud, each) for each in _unused(cloud, own_credentials(cloud), _stored(self.base))]
        return []

    def _deletion(self, cloud: OpenStackCloud, found: Mapping[str, Any]) -> Deletion:
        run = functools.partial(remove_credential, cloud, str(found["id"]))
        return Deletion(self.key, self.kind, str(found["name"]), run, reason=_UNUSED)

    def _make(self, cloud: OpenStackCloud) -> None:
        """Make it, in place of those whose secrets were lost with the runs that made them."""
        kind = application_credential(cloud.user)
        try:
            found = own_credentials(cloud)
            unused = [str(each["id"]) for each in _unused(cloud, found, _stored(self.base))]
            for each in unused:
                cloud.delete(kind, each)
            taken = {str(each["name"]) for each in found if each["id"] not in unused}
            made = cloud.make(kind, self._request(cloud, taken))
        except AccessDenied as error:
            raise AccessDenied(f"{error}; {_OTHERWISE}") from error
        self.value = {"id": str(made["id"]), "secret": str(made["secret"])}
        self.id = self.value["id"]

    def _request(self, cloud: OpenStackCloud, taken: Collection[str]) -> dict[str, Any]:
        wanted: dict[str, Any] = {
            "name": names.next_application_credential(cloud.cluster_name, cloud.project, taken),
            "description": f"control planes of the cluster {cloud.cluster_name}",
        }
        if self.rules and not self.refused_by:
            wanted["access_rules"] = access_rules.as_asked(self.rules, _mark(cloud))
        return wanted

    def _asked(self, cloud: OpenStackCloud) -> Found:
        """What services say to its rules. Raises TryAgainLater, KopsError."""
        login = cloud.logged_in(self.value)
        if login is None:
            raise TryAgainLater("Keystone does not know the application credential yet that it has just made")
        if not login.rules:
            # A Keystone of before 2019 makes one without them.
            return Found(["identity"], [])
        return ask_all(login, cloud.own_login, self.rules or ())


def _mark(cloud: OpenStackCloud) -> str:
    return access_rules.mark(cloud.cluster_name, cloud.project)


def _title(cloud: OpenStackCloud) -> str:
    return names.application_credential(cloud.cluster_name, cloud.project)


def _is_title(cloud: OpenStackCloud, name: str) -> bool:
    return bool(names.application_credentials(cloud.cluster_name, cloud.project).fullmatch(name))


def _stored(base: str | None) -> str:
    """The id of the one in the store; "" if it has none."""
    try:
        return credential_in(str(base))["id"]
    except KopsError:
        return ""


def _unused(cloud: OpenStackCloud, found: Collection[Mapping[str, Any]], stored: str) -> list[Mapping[str, Any]]:
    """Those of the cluster, among credentials of the user, that nobody has: neither the store nor a server."""
    left = [each for each in found if _is_title(cloud, str(each["name"])) and each["id"] != stored]
    # What the servers of the cluster were made with.
    used = _used(cloud) if left else set()
    return [each for each in left if digest(str(each["id"])) not in used]


def _used(cloud: OpenStackCloud) -> set[str]:
    if access_rules.COMPUTE not in cloud.once(types_of):
        return set()
    servers = [each.get("metadata") or {} for each in cloud.once(described, SERVER)]
    own = [each for each in servers if each.get(names.OF_CLUSTER) == cloud.cluster_name]
    return {parts_of(each.get(names.MADE_FROM, "")).get("credential", "") for each in own}


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


def of_cluster(cloud: OpenStackCloud) -> list[Mapping[str, Any]]:
    """Those of the cluster, among them."""
    return [each for each in cloud.once(own_credentials) if _is_title(cloud, str(each["name"]))]


def own_rules(cloud: OpenStackCloud) -> list[Mapping[str, Any]]:
    """The access rules of the cluster, among those of the login's user. None for a Keystone that knows no rules."""
    user = cloud.user
    with contextlib.suppress(AccessDenied, Missing):
        return [each for each in cloud.read(access_rule(user), user=user) if access_rules.is_own(each, _mark(cloud))]
    return []


def held(credentials: Collection[Mapping[str, Any]]) -> set[str]:
    """The ids of the access rules that credentials have."""
    return {str(rule["id"]) for each in credentials for rule in each.get("access_rules") or ()}


def remove_credential(cloud: OpenStackCloud, identifier: str) -> None:
    """Delete one of the cluster, and the access rules of the cluster that no other has."""
    cloud.delete(application_credential(cloud.user), identifier)
    remove_unused_rules(cloud)


def remove_unused_rules(cloud: OpenStackCloud) -> None:
    """Delete the access rules of the cluster that no credential has. Keystone keeps them when it loses a credential."""
    kept, kind = held(own_credentials(cloud)), access_rule(cloud.user)
    unused = [str(each["id"]) for each in own_rules(cloud) if each["id"] not in kept]
    # Keystone takes its time for each of them.
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _done in pool.map(functools.partial(cloud.delete, kind), unused):
            pass
