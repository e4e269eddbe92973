# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Service accounts, and policies of projects and buckets."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping
from typing import Any

from .documents import Method, Refusal


class Identity:
    """What there is. accounts: address -> account. policies: "projects/<id>" or "b/<bucket>" -> policy."""

    def __init__(self) -> None:
        self.accounts: dict[str, dict[str, Any]] = {}
        self.policies: dict[str, dict[str, Any]] = {}
        self._numbers = itertools.count(1)

    def answer(self, method: Method, named: dict[str, str], query: Mapping[str, str], body: Any) -> Any:
        """The answer to a request. Raises Refusal."""
        if method.api == "iam":
            return self._accounts(method, named, body or {})
        return self._policies(method, named, body or {})

    def _accounts(self, method: Method, named: dict[str, str], body: dict[str, Any]) -> Any:
        project = named["projectsId"]
        if method.verb == "list":
            return {"accounts": [each for each in self.accounts.values() if each["projectId"] == project]}
        email = named.get("serviceAccountsId") or f"{body['accountId']}@{project}.iam.gserviceaccount.com"
        if method.verb == "create":
            if email in self.accounts:
                raise Refusal(
                    409, "alreadyExists", f"Service account {body['accountId']} already exists within project"
                )
            name = f"projects/{project}/serviceAccounts/{email}"
            self.accounts[email] = {
                **body.get("serviceAccount", {}),
                "email": email,
                "projectId": project,
                "name": name,
            }
        elif email not in self.accounts:
            raise Refusal(404, "notFound", f"Unknown service account {email}")
        elif method.verb == "patch":
            self.accounts[email].update(body["serviceAccount"])
        elif method.verb == "delete":
            del self.accounts[email]
            for policy in self.policies.values():
                for binding in policy["bindings"]:
                    gone = f"serviceAccount:{email}"
                    binding["members"] = [f"deleted:{each}" if each == gone else each for each in binding["members"]]
            return {}
        return self.accounts[email]

    def _policies(self, method: Method, named: dict[str, str], body: dict[str, Any]) -> Any:
        place = f"b/{named['bucket']}" if "bucket" in named else f"projects/{named.get('resource')}"
        policy = self.policies.setdefault(place, {"version": 1, "bindings": [], "etag": "etag-0"})
        if method.verb == "getIamPolicy":
            return copy.deepcopy(policy)
        if method.verb != "setIamPolicy":
            raise Refusal(501, "notImplemented", f"{method.verb} has no semantics here")
        wanted = body if "bucket" in named else body["policy"]
        if wanted.get("etag") != policy["etag"]:
            if "bucket" in named:
                raise Refusal(412, "conditionNotMet", "The type of this precondition failed")
            raise Refusal(
                409, "aborted", "There were concurrent policy changes. Please retry the whole read-modify-write"
            )
        for binding in wanted.get("bindings", ()):
            for member in binding["members"]:
                kind, _colon, email = member.partition(":")
                if kind == "serviceAccount" and email not in self.accounts:
                    raise Refusal(400, "badRequest", f"Service account {email} does not exist.")
        self.policies[place] = {**copy.deepcopy(wanted), "etag": f"etag-{next(self._numbers)}"}
        return copy.deepcopy(self.policies[place])
