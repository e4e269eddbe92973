# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What clients of a vCenter ask of it, and what happens to their requests: below both libraries that send them.

What a test asks by VCenter.client() passes, and is not counted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import is_beside
from pyVmomi.SoapAdapter import SoapStubAdapter

# Methods of the SOAP API that write nothing; and requests to the REST API, beside GET.
_READS = (
    "RetrieveServiceContent",
    "RetrievePropertiesEx",
    "ContinueRetrievePropertiesEx",
    "RetrieveProperties",
    "Fetch",
    "Login",
    "Logout",
    "SearchDatastore_Task",
)
_REST_READS = ("list-attached", "list-tags", "/cis/session")
# Where the connection breaks: before vCenter has the request, or when it has done what it says.
BEFORE, AFTER = "before", "after"


class Killed(BaseException):
    """The process ends."""


class Wire:
    """Requests in their order. fault: number of a write, from 0 -> where its connection breaks.

    killed_at: the write at which the process ends, by number or name, and where; later ones of other threads are not
    sent either.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self.writes: list[str] = []
        self.faults: dict[int, str] = {}
        self.killed_at: tuple[int | str, str] | None = None
        self._lock = threading.Lock()
        soap, rest = SoapStubAdapter.InvokeMethod, requests.Session.request

        def invoke(stub: Any, mo: Any, info: Any, args: Any, outer: Any = None) -> Any:
            name = str(info.wsdlName)
            if is_beside():
                return soap(stub, mo, info, args, outer)
            lost = ConnectionResetError("the connection is broken")
            return self._pass(name, name not in _READS, lost, lambda: soap(stub, mo, info, args, outer))

        def request(session: Any, method: str, url: str, *arguments: Any, **options: Any) -> Any:
            parts = urlsplit(url)
            name = f"{method} {parts.path}?{parts.query}"
            is_write = method != "GET" and not any(each in name for each in _REST_READS)
            lost = requests.ConnectionError("the connection is broken")
            return self._pass(name, is_write, lost, lambda: rest(session, method, url, *arguments, **options))

        patch.setattr(SoapStubAdapter, "InvokeMethod", invoke)
        patch.setattr(requests.Session, "request", request)

    def clear(self) -> None:
        """Forget what was asked, and let everything pass."""
        self.calls, self.writes, self.faults, self.killed_at = [], [], {}, None

    def _pass(self, name: str, is_write: bool, lost: Exception, send: Callable[[], Any]) -> Any:
        with self._lock:
            self.calls.append(name)
            number = len(self.writes)
            if is_write:
                self.writes.append(name)
                if self.killed_at is not None and self.killed_at[0] == name:
                    self.killed_at = (number, self.killed_at[1])
        if not is_write:
            return send()
        end, where = self.killed_at or (number + 1, "")
        if isinstance(end, str):
            end = number + 1
        if number > end or (number == end and where == BEFORE):
            raise Killed
        if self.faults.get(number) == BEFORE:
            raise lost
        answer = send()
        if number == end:
            raise Killed
        if self.faults.get(number) == AFTER:
            raise lost
        return answer
