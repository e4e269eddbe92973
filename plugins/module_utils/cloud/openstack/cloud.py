# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One project of an OpenStack cloud: reads that are made once, and writes that are sent once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...engine.task import AnswerLost
from ...statestore.vfs import openstack_sdk
from ..errors import NoLogin
from ..pools.latest import Latest
from ..reads import Reads
from . import logins
from .errors import NOT_FOUND, TIMEOUTS, UNAUTHORIZED, UNKNOWN, explain, refused
from .kinds import Kind

Described = Mapping[str, Any]
# Services that a cloud need not have, as openstacksdk names them.
_OPTIONAL = ("load_balancer", "dns")


class OpenStackCloud(Reads):
    """A client. region: "" is the login's. store: URL of the cluster's directory in the state store, if it is known."""

    def __init__(self, region: str, cluster_name: str, store: str = "") -> None:
        super().__init__()
        self.region, self.cluster_name, self.store = region, cluster_name, store.rstrip("/")
        self._connection: Any = None
        self._lock_of_connection, self._lock_of_services = threading.Lock(), threading.Lock()
        self._latest = Latest()
        # Whether Neutron takes tags with a new port, as far as is known.
        self.takes_tags_of_ports = True

    @property
    def project(self) -> str:
        """The id of the project that the login is for."""
        return str(self.once(project_of))

    @property
    def user(self) -> str:
        """The id of the user that the login is of."""
        return str(self.once(user_of))

    def logged_in(self, credential: Mapping[str, str]) -> logins.Accepted | None:
        """A login with an application credential; None if Keystone does not know it. Raises KopsError.

        credential: id and secret.
        """
        url, _region = self.once(place_of_login)
        return logins.log_in(self.connection, url, credential, self.place)

    @property
    def own_login(self) -> logins.Asks:
        """The login itself."""
        return logins.Login(self.connection.session, None, self.place)

    @property
    def place(self) -> dict[str, str]:
        """Where services are asked: as nodes ask them."""
        _url, region = self.once(place_of_login)
        return {"interface": "public", **({"region_name": region} if region else {})}

    @property
    def connection(self) -> Any:
        """openstacksdk's, opened on first use. Raises NoLogin, or CloudError if the login is refused."""
        with self._lock_of_connection:
            if self._connection is None:
                self._connection = _connected(self.region)
            return self._connection

    def service(self, name: str) -> Any:
        """A service as openstacksdk has it, which asks it for its versions on first use. name: of openstacksdk."""
        connection = self.connection
        with self._lock_of_services:
            found = getattr(connection, name)
            openstack_sdk.let_try_again(found)
        return found

    def offers(self, service: str) -> bool:
        """Whether the catalogue has a service; the library takes one that is missing for a login that is wrong.

        service: as openstacksdk names it. Raises what that raises.
        """
        return self.connection.endpoint_for(service.replace("_", "-")) is not None

    def read(self, kind: Kind, **query: str) -> list[dict[str, Any]]:
        """All objects of a kind that a query leaves, as the service describes them. Raises KopsError."""
        if kind.by_project:
            query.setdefault("project_id", self.project)
        try:
            if kind.service in _OPTIONAL and not self.offers(kind.service):
                return []
            found = _listed(getattr(self.service(kind.service), kind.listing), query)
        except Exception as error:
            raise explain(error, f"reading each {kind.word}") from error
        return [each.to_dict(computed=False, original_names=True) for each in found]

    def make(self, kind: Kind, properties: Mapping[str, Any], **beside: Any) -> dict[str, Any]:
        """Make an object, and give what the service says of it. beside: what a request has beside the properties."""
        doing = f"make {kind.word} {properties.get('name', '')}".strip()
        answer = self.ask("POST", kind, "", _wrapped(kind, properties) | beside, doing)
        return dict(answer[kind.key] if kind.key else answer)

    def make_many(self, kind: Kind, wanted: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """Make several objects of Neutron by one request: name -> what it says of the object."""
        what = kind.word if len(wanted) == 1 else f"{len(wanted)} {kind.word}s:"
        doing = f"make {what} {', '.join(str(each['name']) for each in wanted)}"
        answer = self.ask("POST", kind, "", {f"{kind.key}s": [dict(each) for each in wanted]}, doing)
        return {str(each["name"]): dict(each) for each in answer[f"{kind.key}s"]}

    def change(self, kind: Kind, identifier: str, properties: Mapping[str, Any]) -> None:
        """Change properties of an object."""
        self.ask("PUT", kind, f"/{identifier}", _wrapped(kind, properties), f"change {kind.word} {identifier}")

    def delete(self, kind: Kind, identifier: str, query: str = "") -> None:
        """Delete an object; one that is gone is deleted."""
        self.ask("DELETE", kind, f"/{identifier}{query}", None, f"delete {kind.word} {identifier}")

    def get(self, kind: Kind, identifier: str) -> dict[str, Any] | None:
        """An object as it is now; None if it is not there. Raises KopsError."""
        try:
            answer = self._answer("GET", kind, f"/{identifier}")
        except Exception as error:
            raise explain(error, f"looking for {kind.word} {identifier}") from error
        if answer.status_code == NOT_FOUND:
            return None
        if answer.status_code >= 400:
            raise refused(answer.status_code, answer.text, f"look for {kind.word} {identifier}")
        return dict(answer.json()[kind.key])

    def question(self, kind: Kind, path: str, body: Any, doing: str) -> dict[str, Any]:
        """The answer to a POST that writes nothing, and may be sent again. path: as of ask(). Raises KopsError."""
        try:
            answer = self._answer("POST", kind, path, json=body, microversion=kind.microversion or None)
        except Exception as error:
            raise explain(error, doing) from error
        if answer.status_code >= 400:
            raise refused(answer.status_code, answer.text, doing)
        return dict(answer.json())

    def latest(self, kind: Kind, identifier: str, since: float = 0.0) -> Described | None:
        """An object as it was a moment ago; None if it was not there. Whoever waits shares the reading of a kind.

        since: a moment of time.monotonic(); what was there before says nothing.
        """
        return self._latest.of(kind, identifier, self._read_by_id, since)

    def _read_by_id(self, kind: Kind) -> dict[str, Described]:
        return {str(each["id"]): each for each in self.read(kind)}

    def ask(self, method: str, kind: Kind, path: str, body: Any, doing: str) -> dict[str, Any]:
        """The answer to a request that writes. path: below the kind's collection.

        Raises AnswerLost if nobody knows whether it was carried out, else KopsError.
        """
        from keystoneauth1 import exceptions

        timeout = openstack_sdk.SECONDS, openstack_sdk.SECONDS_TO_WRITE
        options = {"json": body, "timeout": timeout, "microversion": kind.microversion or None}
        try:
            # A write may have been carried out though its answer is lost.
            answer = self._answer(method, kind, path, **options, **openstack_sdk.ONCE)
        except exceptions.ConnectTimeout as error:
            # A service that is overloaded may still carry it out.
            raise AnswerLost(f"{doing}: no answer in time ({error})", openstack_sdk.SECONDS_TO_WRITE) from error
        except (exceptions.ConnectFailure, exceptions.RetriableConnectionFailure) as error:
            raise AnswerLost(f"{doing}: the answer is lost ({error})") from error
        except exceptions.ClientException as error:
            raise explain(error, doing) from error
        if answer.status_code in UNKNOWN:
            still = openstack_sdk.SECONDS_TO_WRITE if answer.status_code in TIMEOUTS else 0
            raise AnswerLost(f"{doing}: HTTP {answer.status_code}", still)
        if answer.status_code >= 400 and not (method == "DELETE" and answer.status_code == NOT_FOUND):
            raise refused(answer.status_code, answer.text, doing)
        # Of what only says that it was done, some services say "null".
        return dict(answer.json() or {}) if answer.content else {}

    def _answer(self, method: str, kind: Kind, path: str, **options: Any) -> Any:
        """What a service says to a request. Raises what the library raises."""
        adapter = self.service(kind.service)
        for _login in range(openstack_sdk.LOGINS):
            answer = adapter.request(kind.collection + path, method, raise_exc=False, **options)
            if answer.status_code != UNAUTHORIZED:
                break
        return answer


def _wrapped(kind: Kind, properties: Mapping[str, Any]) -> dict[str, Any]:
    return {kind.key: dict(properties)} if kind.key else dict(properties)


def _listed(listing: Callable[..., Iterable[Any]], query: Mapping[str, str]) -> list[Any]:
    """All objects of a listing of the library. Raises what that raises."""
    error: Any = None
    for _login in range(openstack_sdk.LOGINS):
        try:
            return list(listing(**query))
        except openstack_sdk.library().exceptions.HttpException as refusal:
            error = refusal
            if refusal.status_code != UNAUTHORIZED:
                break
    raise error


def project_of(cloud: OpenStackCloud) -> str:
    """The id of the login's project. Raises KopsError."""
    try:
        return str(cloud.connection.current_project_id)
    except Exception as error:
        raise explain(error, "asking for the project of the login") from error


def user_of(cloud: OpenStackCloud) -> str:
    """The id of the login's user. Raises KopsError."""
    try:
        return str(cloud.connection.current_user_id)
    except Exception as error:
        raise explain(error, "asking for the user of the login") from error


def place_of_login(cloud: OpenStackCloud) -> tuple[str, str]:
    """Where Keystone is by the login, and the region. Raises KopsError."""
    try:
        config = cloud.connection.config
        return str(config.get_auth_args().get("auth_url") or ""), str(config.get_region_name() or "")
    except Exception as error:
        raise explain(error, "asking for the place of the login") from error


def types_of(cloud: OpenStackCloud) -> list[str]:
    """The types of the services that the catalogue has. Raises KopsError."""
    try:
        session = cloud.connection.session
        return sorted(session.auth.get_access(session).service_catalog.get_endpoints(**cloud.place))
    except Exception as error:
        raise explain(error, "asking for the services of the cloud") from error


def _connected(region: str) -> Any:
    try:
        return openstack_sdk.connect(region)
    except openstack_sdk.LibraryMissing as error:
        raise NoLogin(str(error)) from error
    except Exception as error:
        raise explain(error, "OpenStack") from error
