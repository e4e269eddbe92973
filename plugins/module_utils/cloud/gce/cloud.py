# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One project and region of Google Cloud: credentials, retries, paging, and reads that are made once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...statestore.vfs import google
from ..errors import CloudError
from ..reads import Reads
from .errors import NoCredentials, refused

if TYPE_CHECKING:
    import requests

# API -> (gcloud's variable that names another endpoint, the endpoint).
ENDPOINTS = {
    "compute": ("CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", "https://compute.googleapis.com/compute/v1/"),
    "dns": ("CLOUDSDK_API_ENDPOINT_OVERRIDES_DNS", "https://dns.googleapis.com/dns/v1/"),
}
# gcloud's variables that name a project.
PROJECT_VARIABLES = ("CLOUDSDK_CORE_PROJECT", "GOOGLE_CLOUD_PROJECT")

# The library's own retries do the waiting: exponential back-off when Google is busy or a connection breaks.
ATTEMPTS, BACKOFF_SECONDS, TIMEOUT_SECONDS = 6, 0.5, 60
TRANSIENT = (429, 500, 502, 503, 504)
NOT_FOUND = 404


def default_project() -> str:
    """The project that gcloud's environment variables name; "" when they name none."""
    return next((os.environ[name] for name in PROJECT_VARIABLES if os.environ.get(name)), "")


class GCECloud(Reads):
    """Google Cloud as facts and tasks see it.

    region: name of a region. cluster_name: owner of what is found. project: id of the cluster's project.
    session: a requests session that carries credentials, for tests; None takes Google's application default
    credentials, and looks for them when the first question is asked.
    """

    def __init__(
        self, region: str, cluster_name: str = "", project: str = "", session: requests.Session | None = None
    ) -> None:
        super().__init__()
        self.region = region
        self.cluster_name = cluster_name
        self.project = project or default_project()
        self._session = session
        self._without: NoCredentials | None = None

    def get(self, api: str, path: str, **parameters: str) -> dict[str, Any] | None:
        """One object of an API ("compute"), by its path below projects/; None when there is none.

        Raises NoCredentials where nothing can be asked, CloudError for what Google refuses.
        """
        variable, endpoint = ENDPOINTS[api]
        url = f"{(os.environ.get(variable) or endpoint).rstrip('/')}/projects/{path}"
        answer = self._credentialed().get(url, params=parameters, timeout=TIMEOUT_SECONDS)
        if answer.status_code == NOT_FOUND:
            return None
        if not answer.ok:
            raise refused(answer.status_code, google.message_of(answer))
        return dict(answer.json())

    def pages(self, api: str, path: str, **parameters: str) -> Iterator[dict[str, Any]]:
        """All pages of a listing; nothing when there is no such listing."""
        while True:
            page = self.get(api, path, **parameters) or {}
            yield page
            if not page.get("nextPageToken"):
                return
            parameters["pageToken"] = page["nextPageToken"]

    def aggregated(self, path: str, kind: str, **parameters: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Compute objects of a kind in all zones or regions: (scope, object), scope being as "zones/us-east1-b"."""
        for page in self.pages("compute", path, **parameters):
            for scope, held in page.get("items", {}).items():
                for item in held.get(kind, ()):
                    yield scope, item

    def _credentialed(self) -> requests.Session:
        with self._lock:
            # Looking for credentials can take seconds: what was not found is not looked for again.
            if self._without is not None:
                raise self._without
            if self._session is None:
                try:
                    self._session = _authorized_session()
                except NoCredentials as error:
                    self._without = error
                    raise
            return self._session


def _authorized_session() -> requests.Session:
    try:
        session = google.authorized_session()
    except google.CredentialsMissing as error:
        raise NoCredentials(str(error)) from error
    except google.CredentialsUnusable as error:
        raise CloudError(str(error)) from error
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    retry = Retry(total=ATTEMPTS, backoff_factor=BACKOFF_SECONDS, status_forcelist=TRANSIENT, allowed_methods={"GET"})
    session.mount("https://", HTTPAdapter(max_retries=retry))
    return session
