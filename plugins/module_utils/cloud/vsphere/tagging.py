# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags of vCenter. They are not in its SOAP API: these are requests to its REST API, whose library would be large."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

from ...engine.task import AnswerLost
from ..errors import Missing
from .errors import explain, refused_by_rest
from .login import Login, tls_context

_SESSION, _TAGGING = "/rest/com/vmware/cis/session", "/rest/com/vmware/cis/tagging"
_TOKEN = "vmware-api-session-id"  # noqa: S105 (the name of a header)
SECONDS = 60
# The service may have done what it was asked for, or not.
_UNKNOWN = frozenset({408, 500, 502, 503, 504})
_OK, _UNAUTHORIZED, _NOT_FOUND = 400, 401, 404
_READS = 3
# What tags of a cluster are for; the type of the SOAP API is the last part.
ASSOCIABLE = ("urn:vim25:Folder", "urn:vim25:ResourcePool", "urn:vim25:VirtualMachine")


class Tagging:
    """A client. login: gives the login; may raise NoLogin."""

    def __init__(self, login: Callable[[], Login]) -> None:
        self._login = login
        self._lock = threading.Lock()
        self._session: Any = None

    def leave(self) -> None:
        """End the session."""
        session = self._session
        if session is not None:
            session.delete(session.base + _SESSION, timeout=SECONDS)

    # -- reads --------------------------------------------------------------------------------------------------

    def category(self, identifier: str) -> dict[str, Any] | None:
        """What is said of a category; None if there is none of that id."""
        return self._found(f"/category/id:{identifier}", "read a category of tags")

    def tag(self, identifier: str) -> dict[str, Any] | None:
        """What is said of a tag; None if there is none of that id."""
        return self._found(f"/tag/id:{identifier}", "read a tag")

    def category_called(self, name: str) -> dict[str, Any] | None:
        """The category of a name, whatever its id is: a request for each of them."""
        for identifier in self._read("GET", "/category", None, "list categories of tags") or ():
            found = self.category(str(identifier))
            if found is not None and found["name"] == name:
                return found
        return None

    def tag_called(self, category: str, name: str) -> dict[str, Any] | None:
        """The tag of a name in a category, whatever its id is."""
        path = f"/tag/id:{category}?~action=list-tags-for-category"
        for identifier in self._read("POST", path, {}, "list the tags of a category") or ():
            found = self.tag(str(identifier))
            if found is not None and found["name"] == name:
                return found
        return None

    def tagged(self, tag: str) -> set[str]:
        """The ids of all objects that have a tag."""
        path = f"/tag-association/id:{tag}?~action=list-attached-objects"
        found = self._read("POST", path, {}, "list what has a tag") or ()
        return {str(each["id"]) for each in found}

    # -- writes -------------------------------------------------------------------------------------------------

    def make_category(self, identifier: str, name: str, description: str) -> str:
        """Make a category for one tag of an object; gives its id."""
        spec = {
            "category_id": identifier,
            "name": name,
            "description": description,
            "cardinality": "SINGLE",
            "associable_types": list(ASSOCIABLE),
        }
        return str(self._write("POST", "/category", {"create_spec": spec}, f"make category {name}"))

    def make_tag(self, identifier: str, category: str, name: str, description: str) -> str:
        """Make a tag in a category; gives its id."""
        spec = {"tag_id": identifier, "category_id": category, "name": name, "description": description}
        return str(self._write("POST", "/tag", {"create_spec": spec}, f"make tag {name}"))

    def describe_tag(self, identifier: str, description: str) -> None:
        """Give a tag another description."""
        self._write("PATCH", f"/tag/id:{identifier}", {"update_spec": {"description": description}}, "describe a tag")

    def attach(self, tag: str, kind: str, identifier: str) -> None:
        """Give an object a tag, which it may have already. kind: as the SOAP API calls it."""
        path = f"/tag-association/id:{tag}?~action=attach"
        self._write("POST", path, {"object_id": {"type": kind, "id": identifier}}, f"tag {kind} {identifier}")

    def delete_category(self, identifier: str) -> None:
        """Delete a category with its tags; one that is gone is deleted."""
        self._gone("DELETE", f"/category/id:{identifier}", "delete a category of tags")

    def delete_tag(self, identifier: str) -> None:
        """Delete a tag; one that is gone is deleted."""
        self._gone("DELETE", f"/tag/id:{identifier}", "delete a tag")

    # -- requests -----------------------------------------------------------------------------------------------

    def _found(self, path: str, doing: str) -> dict[str, Any] | None:
        try:
            return dict(self._read("GET", path, None, doing))
        except Missing:
            return None

    def _gone(self, method: str, path: str, doing: str) -> None:
        try:
            self._write(method, path, None, doing)
        except Missing:
            return

    def _read(self, method: str, path: str, body: Any, doing: str) -> Any:
        """The answer to a request that writes nothing, and may be sent again."""
        lost: AnswerLost | None = None
        for _try in range(_READS):
            try:
                return self._write(method, path, body, doing)
            except AnswerLost as error:
                lost = error
        raise explain(ConnectionError(str(lost)), doing)

    def _write(self, method: str, path: str, body: Any, doing: str) -> Any:
        """The value of an answer. Raises AnswerLost if nobody knows whether it was carried out, else KopsError."""
        from requests import RequestException

        for is_last in (False, True):
            session = self._opened(doing)
            try:
                answer = session.request(method, session.base + _TAGGING + path, json=body, timeout=SECONDS)
            except RequestException as error:
                raise AnswerLost(f"{doing}: the answer is lost ({type(error).__name__})") from error
            if answer.status_code != _UNAUTHORIZED or is_last:
                break
            # It has ended: nothing was done.
            self._forget(session)
        if answer.status_code in _UNKNOWN:
            raise AnswerLost(f"{doing}: HTTP {answer.status_code}")
        if answer.status_code >= _OK:
            raise refused_by_rest(answer.status_code, answer.text, doing)
        return answer.json().get("value") if answer.content else None

    def _opened(self, doing: str) -> Any:
        with self._lock:
            if self._session is None:
                self._session = _session(self._login(), doing)
            return self._session

    def _forget(self, session: Any) -> None:
        with self._lock:
            if self._session is session:
                self._session = None


def _session(login: Login, doing: str) -> Any:
    """A session that has logged in. Raises KopsError."""
    try:
        from requests import RequestException, Session
        from requests.adapters import HTTPAdapter
        from urllib3.exceptions import InsecureRequestWarning
    except ImportError as error:
        raise explain(error) from error

    class Adapter(HTTPAdapter):
        """Connections that trust whom those of the SOAP API trust."""

        def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **options: Any) -> None:
            """As of the library."""
            options["ssl_context"] = tls_context(login)
            super().init_poolmanager(connections, maxsize, block, **options)

    session: Any = Session()
    session.base = login.url
    # The environment could name other authorities, passwords and proxies than the SOAP API is asked with.
    session.trust_env = False
    session.verify = login.trust.authority or not (login.trust.insecure or login.trust.thumbprint)
    session.mount("https://", Adapter())
    if session.verify is False:
        warnings.simplefilter("ignore", InsecureRequestWarning)
    try:
        answer = session.post(login.url + _SESSION, auth=(login.user, login.password), timeout=SECONDS)
    except RequestException as error:
        raise explain(error, f"{doing} (REST API)") from error
    if answer.status_code >= _OK:
        raise refused_by_rest(answer.status_code, answer.text, "log in to the REST API of vCenter")
    session.headers[_TOKEN] = answer.json()["value"]
    return session
