# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project of Google Cloud with a bucket for the state store, for operations that are run as users run them."""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.instances import MADE_FROM, metadata_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore

from .. import storage_server
from ..storage_server import Fault, Service, StoredBucket
from .server import Call, GoogleServer, variable

PROJECT, BUCKET, NAME = "my-project", "kops-state", "demo.example.com"
STORE = f"gs://{BUCKET}"
ZONES = ["us-test1-b", "us-test1-c"]


@dataclass
class Account:
    """The project. environment: variables by which it is found."""

    apis: GoogleServer
    storage: Service
    environment: dict[str, str]
    _left: list[int] = field(default_factory=list)

    # -- operations -----------------------------------------------------------------------------------------------

    def create(self, **options: Any) -> Any:
        """Store the specification of a cluster."""
        given = {"name": NAME, "state_store": STORE, "cloud": "gce", "project": PROJECT, "zones": ZONES[:1], **options}
        return create_cluster(given, check_mode=False)

    def change_group(self, name: str, **values: Any) -> None:
        """Set fields of a stored instance group's specification."""
        store = ClusterStore.open(STORE, NAME)
        group = next(group for group in store.read()[1] if group.metadata.name == name)
        for each, value in values.items():
            setattr(group.spec, each, value)
        store.write_group(group)

    def update(self, *, check: bool = False, **options: Any) -> Any:
        """Make the project equal to the specification."""
        return update_cluster(UpdateOptions(STORE, NAME, **options), check=check)

    def delete(self, *, check: bool = False, **options: Any) -> Any:
        """Delete the cluster."""
        return delete_cluster(DeleteOptions(STORE, NAME, **options), check=check)

    # -- what there is --------------------------------------------------------------------------------------------

    def inventory(self) -> dict[str, list[str]]:
        """Collection -> names of all that there is, but for instances, which have other names each time."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.apis.objects.found):
            collection, name = path.split("/")[-2:]
            if collection not in ("instances", "instanceGroups"):
                found.setdefault(collection, []).append(name)
        found["accounts"] = sorted(self.apis.identity.accounts)
        found["members"] = sorted(
            f"{place} {binding['role']} {member}"
            for place, policy in self.apis.identity.policies.items()
            for binding in policy["bindings"]
            for member in binding["members"]
            if not member.startswith("deleted:")
        )
        return {collection: names for collection, names in found.items() if names}

    def managers(self, part: str) -> list[dict[str, Any]]:
        """The managed groups whose names have a part."""
        found = self.apis.objects.found.items()
        return [each for path, each in found if "/instanceGroupManagers/" in path and part in each["name"]]

    def templates_in_use(self) -> set[str]:
        """Of managed groups, and of instances that run."""
        made = [(each.get("versions") or [each])[0]["instanceTemplate"] for each in self.managers("")]
        found = {template.rpartition("/")[2] for template in made}
        for path, each in self.apis.objects.found.items():
            if "/instances/" in path:
                found.add(metadata_of(each)[MADE_FROM].rpartition("/")[2])
        return found

    def counts(self) -> dict[str, int]:
        """Collection -> how many there are; names of templates follow from what was written meanwhile."""
        return {collection: len(names) for collection, names in self.inventory().items()}

    # -- faults ---------------------------------------------------------------------------------------------------

    def kill_at_write(self, process: int, write: int, *, before: bool) -> None:
        """End a process at a write to the project, before or after that is carried out."""
        left = [write]

        def fault(call: Call) -> str | None:
            if not call.writes:
                return None
            left[0] -= 1
            if left[0]:
                return None
            os.kill(process, signal.SIGKILL)
            return "reset" if before else "lost"

        self.apis.fault = fault

    def kill_at_stored_file(self, process: int, write: int, *, before: bool) -> None:
        """End a process at a write to the state store."""
        kill = functools.partial(os.kill, process, signal.SIGKILL)
        self.storage.faults.append(Fault("^(POST|PUT|DELETE) ", act=not before, then=kill, passes=write - 1))

    def forgive(self) -> None:
        """No more faults."""
        self.apis.fault = lambda call: None
        self.storage.faults.clear()


@contextlib.contextmanager
def running(directory: pathlib.Path) -> Iterator[Account]:
    """A project without any object. directory: for credentials. Whoever uses it sets its environment."""
    with GoogleServer() as apis, storage_server.running() as (url, storage):
        storage.policy = apis.bucket_policy
        storage.buckets[BUCKET] = StoredBucket(settings={"versioning": {"enabled": True}})
        environment = {
            **apis.environment,
            variable("storage"): f"{url}/storage/v1/",
            "GOOGLE_APPLICATION_CREDENTIALS": str(apis.credentials(directory)),
            "CLOUDSDK_CONFIG": str(directory / "gcloud"),
            "NO_GCE_CHECK": "true",
        }
        yield Account(apis, storage, environment)


def serve(directory: pathlib.Path) -> None:
    """Print the environment as NAME=VALUE lines, and serve until the process is ended."""
    with running(directory) as account:
        for name, value in {**account.environment, "GOOGLE_CLOUD_PROJECT": PROJECT, "KOPS_STATE_STORE": STORE}.items():
            print(f"{name}={value}")
        print(flush=True)
        signal.pause()


if __name__ == "__main__":
    serve(pathlib.Path(sys.argv[1]))
