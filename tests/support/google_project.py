# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project of Google Cloud in memory: Compute Engine, service accounts, and IAM policies of project and buckets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .compute_engine import Compute, Refusal

_ACCOUNTS = "https://iam.googleapis.com/v1/projects/"
_PROJECTS = "https://cloudresourcemanager.googleapis.com/v1/projects/"
_BUCKETS = "https://storage.googleapis.com/storage/v1/b/"


class Project(Compute):
    """accounts: email -> service account. policies: project or bucket -> IAM policy, whose etag grows."""

    def __init__(self, project: str) -> None:
        super().__init__(project)
        self.accounts: dict[str, dict[str, Any]] = {}
        self.policies: dict[str, dict[str, Any]] = {}

    @property
    def writes(self) -> list[tuple[str, str]]:
        return [(method, path) for method, path in super().writes if not path.endswith(":getIamPolicy")]

    def path_of(self, url: str) -> str:
        return super().path_of(url) or url[len("https://") :]

    def carry_out(self, method: str, url: str, params: Mapping[str, str], body: Any) -> dict[str, Any]:
        for base, carry_out in ((_ACCOUNTS, self._accounts), (_PROJECTS, self._project), (_BUCKETS, self._bucket)):
            if url.startswith(base):
                return carry_out(method, url[len(base) :], body)
        return super().carry_out(method, url, params, body)

    def _accounts(self, method: str, path: str, body: Any) -> dict[str, Any]:
        project, _collection, *email = path.split("/")
        if method == "GET":
            return {"accounts": list(self.accounts.values())} if self.accounts else {}
        if method == "PATCH":
            self.accounts[email[0]].update(body["serviceAccount"])
            return self.accounts[email[0]]
        address = f"{body['accountId']}@{project}.iam.gserviceaccount.com"
        if address in self.accounts:
            raise Refusal(409, "ALREADY_EXISTS", f"Service account {body['accountId']} already exists")
        self.accounts[address] = {"email": address, **body["serviceAccount"]}
        return self.accounts[address]

    def _project(self, method: str, path: str, body: Any) -> dict[str, Any]:
        project, _colon, verb = path.partition(":")
        return self._policy(project) if verb == "getIamPolicy" else self._write(project, body["policy"])

    def _bucket(self, method: str, path: str, body: Any) -> dict[str, Any]:
        bucket = path.partition("/")[0]
        return self._policy(bucket) if method == "GET" else self._write(bucket, body)

    def _policy(self, place: str) -> dict[str, Any]:
        copied: dict[str, Any] = json.loads(json.dumps(self.policies.setdefault(place, {"etag": "1"})))
        return copied

    def _write(self, place: str, policy: Mapping[str, Any]) -> dict[str, Any]:
        if policy.get("etag") != self._policy(place)["etag"]:
            raise Refusal(409, "ABORTED", "There were concurrent policy changes")
        for binding in policy.get("bindings", ()):
            for member in binding["members"]:
                email = member.partition(":")[2]
                if email.endswith(f"@{self.project}.iam.gserviceaccount.com") and email not in self.accounts:
                    raise Refusal(400, "INVALID_ARGUMENT", f"Service account {email} does not exist.")
        self.policies[place] = {**policy, "etag": str(int(policy["etag"]) + 1)}
        return self.policies[place]
