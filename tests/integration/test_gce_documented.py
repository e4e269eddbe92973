# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/start-gce.md shows, typed as it stands there, in a project of Google Cloud on loopback."""

from __future__ import annotations

import os
import pathlib
import re

import pytest
from ansible_collections.kubeops.kops.tests.documented.reader import Reader
from ansible_collections.kubeops.kops.tests.documented.runs import GOOGLE, taken_by
from ansible_collections.kubeops.kops.tests.integration.conftest import ansible_environment
from ansible_collections.kubeops.kops.tests.support.google import account as google_account
from ansible_collections.kubeops.kops.tests.support.google.account import PROJECT
from ansible_collections.kubeops.kops.tests.support.storage_server import StoredBucket

PLAN, CREATE = taken_by(GOOGLE, "docs/start-gce.md")
BUCKET = "example-kops-state"


@pytest.mark.long
def test_a_cluster_from_its_plan_to_its_deletion(tmp_path: pathlib.Path) -> None:
    with google_account.running(tmp_path) as account:
        account.storage.buckets[BUCKET] = StoredBucket(settings={"versioning": {"enabled": True}})
        own = {"GOOGLE_CLOUD_PROJECT": PROJECT, "KOPS_STATE_STORE": f"gs://{BUCKET}"}
        environment = {**os.environ, **ansible_environment(), **account.environment, **own}
        reader = Reader(tmp_path / "reader", {**environment, "KOPS_CLUSTER_NAME": "demo.example.com"})
        assert re.search(r"Plan [0-9a-f]{16}: \d+ to create", reader.typed(PLAN))
        assert account.inventory() == {}
        reader.typed(CREATE)
        made = account.counts()
        assert (made["instanceGroupManagers"], made["disks"]) == (6, 6)
        assert "Nothing to do: all" in reader.typed(CREATE)
        reader.run("ansible-playbook", "kubeops.kops.kubeconfig", "-e", f"kops_kubeconfig={tmp_path / 'kubeconfig'}")
        (place,) = (path for path in account.apis.objects.found if "/addresses/api-demo" in path)
        address = account.apis.objects.found[place]["address"]
        assert f"server: https://{address}" in (tmp_path / "kubeconfig").read_text()
        reader.run("ansible-playbook", "kubeops.kops.delete_cluster", "--check")
        assert account.counts() == made
        reader.run("ansible-playbook", "kubeops.kops.delete_cluster")
        assert account.inventory() == {}
        assert not account.storage.buckets[BUCKET].objects
