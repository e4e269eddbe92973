# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One project and region of Google Cloud: requests, paging, and reads that are made once."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...engine.task import AnswerLost
from ..errors import NoLogin
from ..reads import Reads
from . import operations
from .errors import NOT_FOUND, refused
from .session import authorized_session, let_try_again

if TYPE_CHECKING:
    import requests

COMPUTE, DNS, IAM, PROJECTS, STORAGE = "compute", "dns", "iam", "cloudresourcemanager", "storage"
# API -> (gcloud's variable that names another endpoint, the endpoint, what is below it).
ENDPOINTS = {
    COMPUTE: ("CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", "https://compute.googleapis.com/compute/v1/", "projects/"),
    DNS: ("CLOUDSDK_API_ENDPOINT_OVERRIDES_DNS", "https://dns.googleapis.com/dns/v1/", "projects/"),
    IAM: ("CLOUDSDK_API_ENDPOINT_OVERRIDES_IAM", "https://iam.googleapis.com/v1/", "projects/"),
    PROJECTS: (
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER",
        "https://cloudresourcemanager.googleapis.com/v1/",
        "projects/",
    ),
    STORAGE: ("CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE", "https://storage.googleapis.com/storage/v1/", ""),
}
# gcloud's variables that name a project.
PROJECT_VARIABLES = ("CLOUDSDK_CORE_PROJECT", "GOOGLE_CLOUD_PROJECT")

CONNECT_SECONDS, TIMEOUT_SECONDS = 10.0, 60.0
_SERVER_ERROR = 500


def default_project() -> str:
    """The project that gcloud's environment variables name; "" when they name none."""
    return next((os.environ[name] for name in PROJECT_VARIABLES if os.environ.get(name)), "")


class GCECloud(Reads):
    """Google Cloud as facts and tasks see it.

    region: name of a region. cluster_name: owner of what is found. project: id of the cluster's project.
    session: a requests session that carries credentials, for tests; None takes Google's application default
    credentials, and looks for them when the first question is asked.

    Paths are those of the API below projects/, without a slash at the beginning: "my-project/global/networks/a". All
    methods that ask raise NoLogin where nothing can be asked, CloudError for what Google refuses, and what the
    library requests raises.
    """

    def __init__(
        self, region: str, cluster_name: str = "", project: str = "", session: requests.Session | None = None
    ) -> None:
        super().__init__()
        self.region = region
        self.cluster_name = cluster_name
        self.project = project or default_project()
        self._session = session
        self._without: NoLogin | None = None

    # -- reads ----------------------------------------------------------------------------------------------------

    def get(self, api: str, path: str, **parameters: str) -> dict[str, Any] | None:
        """One object of an API, by its path; None when there is none."""
        answer = self._ask("GET", api, path, parameters)
        return None if answer.status_code == NOT_FOUND else _content(answer)

    def pages(self, api: str, path: str, **parameters: str) -> Iterator[dict[str, Any]]:
        """All pages of a listing; nothing when there is no such listing."""
        while True:
            page = self.get(api, path, **parameters) or {}
            yield page
            if not page.get("nextPageToken"):
                return
            parameters["pageToken"] = page["nextPageToken"]

    def listed(self, path: str, **parameters: str) -> list[dict[str, Any]]:
        """All objects of a listing of Compute Engine, over its pages."""
        return [item for page in self.pages(COMPUTE, path, **parameters) for item in page.get("items", ())]

    def aggregated(self, path: str, kind: str, **parameters: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Compute objects of a kind in all zones or regions: (scope, object), scope being as "zones/us-east1-b"."""
        for page in self.pages(COMPUTE, path, **parameters):
            for scope, held in page.get("items", {}).items():
                for item in held.get(kind, ()):
                    yield scope, item

    def ask(
        self, api: str, path: str, body: Mapping[str, Any] | None = None, seconds: float = TIMEOUT_SECONDS
    ) -> dict[str, Any]:
        """A read that is a POST, since it has a body or is a method of its own (getIamPolicy, getHealth).

        seconds: that the answer may take.
        """
        return _content(self._ask("POST", api, path, {}, body, seconds))

    # -- writes ---------------------------------------------------------------------------------------------------

    def insert(self, path: str, body: Mapping[str, Any]) -> None:
        """Make an object of Compute Engine in a collection, and wait until it is there."""
        self._change("POST", path, body)

    def call(self, path: str, body: Mapping[str, Any] | None = None, **parameters: str) -> None:
        """A method of an object of Compute Engine (.../setLabels), waited for."""
        self._change("POST", path, body or {}, parameters)

    def patch(self, path: str, body: Mapping[str, Any], **parameters: str) -> None:
        """Change the given fields of an object of Compute Engine, and wait until they are changed."""
        self._change("PATCH", path, body, parameters)

    def replace(self, path: str, body: Mapping[str, Any]) -> None:
        """Change an object of Compute Engine to what is given, and wait until it is changed."""
        self._change("PUT", path, body)

    def delete(self, path: str) -> None:
        """Delete an object of Compute Engine, and wait until it is gone; one that is gone already is no error.

        Raises TryAgainLater while something uses it.
        """
        answer = self._ask("DELETE", COMPUTE, path, {"requestId": str(uuid.uuid4())})
        if answer.status_code != NOT_FOUND:
            operations.wait(self.ask, _content(answer))

    def write(self, method: str, api: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A write of an API without operations, sent once, except for policies of projects. Returns the answer.

        Raises AnswerLost if it may have been carried out.
        """
        import requests

        try:
            answer = self._ask(method, api, path, {}, body)
        except requests.exceptions.ConnectTimeout:
            raise
        except (requests.exceptions.ConnectionError, requests.exceptions.Timeout) as error:
            raise AnswerLost(f"the answer of Google to a write of {path} was lost ({type(error).__name__})") from error
        if answer.status_code >= _SERVER_ERROR:
            raise AnswerLost(f"the answer of Google to a write of {path} was lost ({answer.status_code})")
        return _content(answer)

    def _change(
        self, method: str, path: str, body: Mapping[str, Any], parameters: Mapping[str, str] | None = None
    ) -> None:
        # By the id, Google knows a request that is sent again.
        answer = self._ask(method, COMPUTE, path, {**(parameters or {}), "requestId": str(uuid.uuid4())}, body)
        operations.wait(self.ask, _content(answer))

    def _ask(
        self,
        method: str,
        api: str,
        path: str,
        parameters: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        seconds: float = TIMEOUT_SECONDS,
    ) -> requests.Response:
        timeout = (CONNECT_SECONDS, seconds)
        return self._credentialed().request(method, _base(api) + path, params=parameters, json=body, timeout=timeout)

    def _credentialed(self) -> requests.Session:
        with self._lock:
            # Looking for credentials can take seconds: what was not found is not looked for again.
            if self._without is not None:
                raise self._without
            if self._session is None:
                try:
                    # A policy of a project is only replaced by whoever has read it as it is (etag).
                    self._session = let_try_again(authorized_session(), _base(COMPUTE), _base(PROJECTS))
                except NoLogin as error:
                    self._without = error
                    raise
            return self._session


def _base(api: str) -> str:
    variable, endpoint, below = ENDPOINTS[api]
    return f"{(os.environ.get(variable) or endpoint).rstrip('/')}/{below}"


def _content(answer: requests.Response) -> dict[str, Any]:
    """The answer as data. Raises CloudError in Google's own words, of the kind that errors.py knows."""
    if answer.ok:
        return dict(answer.json()) if answer.content else {}
    try:
        error = answer.json()["error"]
        message = str(error["message"])
    except (ValueError, KeyError, TypeError):
        raise refused(answer.status_code, f"HTTP {answer.status_code} {answer.reason}") from None
    reasons = [str(each.get("reason", "")) for each in error.get("errors") or ()]
    raise refused(answer.status_code, message, [*reasons, str(error.get("status", ""))])
