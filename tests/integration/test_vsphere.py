# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/vsphere.md shows, typed as it stands there, on a vCenter of tests; and the life of a cluster by playbooks.

The state store is a bucket of an account on loopback, by the protocol of S3.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.reader import Reader
from ansible_collections.kubeops.kops.tests.documented.runs import VSPHERE, taken_by
from ansible_collections.kubeops.kops.tests.integration.conftest import PUBLIC_KEY, ansible_environment
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.vsphere.guests import booting
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import PASSWORD, VCenter, done, find, running
from ansible_collections.kubeops.kops.tests.support.vsphere.whole_clusters import (
    LOGIN_OF_NODES,
    NAME,
    NODES,
    client,
    names_in,
    places,
    seen,
)
from pyVmomi import vim

BUCKET = "example-state"
STORE = f"s3://{BUCKET}"
PLAN, CREATE = taken_by(VSPHERE, "docs/vsphere.md")
CONTROL_PLANE = "control-plane-dc0"


@pytest.fixture(name="vcenter")
def run_vcenter(tmp_path: pathlib.Path) -> Iterator[VCenter]:
    (tmp_path / "guests").mkdir()
    with running() as vcenter, booting(vcenter, tmp_path / "guests"):
        with vcenter.client() as instance:
            # As the page calls it.
            group = vim.dvs.DistributedVirtualPortgroup.ConfigSpec(name="kubernetes", numPorts=8, type="earlyBinding")
            done(find(instance, vim.DistributedVirtualSwitch, "DVS0").AddDVPortgroup_Task([group]))
        yield vcenter


@pytest.fixture(name="reader")
def with_a_vcenter(
    server: AWSServer, vcenter: VCenter, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> Reader:
    """Who has two logins, a bucket with a key for it, and an SSH key where users have it."""
    server.reset()
    server.client("s3").create_bucket(Bucket=BUCKET)
    given = {
        **vcenter.environment,
        **LOGIN_OF_NODES,
        "S3_ENDPOINT": server.environment["AWS_ENDPOINT_URL"],
        "S3_REGION": "us-east-1",
        "S3_ACCESS_KEY_ID": server.environment["AWS_ACCESS_KEY_ID"],
        "S3_SECRET_ACCESS_KEY": server.environment["AWS_SECRET_ACCESS_KEY"],
        "KOPS_STATE_STORE": STORE,
        "KOPS_CLUSTER_NAME": NAME,
        "ANSIBLE_SSH_EXECUTABLE": str(ROOT / "tests/support/vsphere/ssh_client.py"),
        "KUBEOPS_TEST_GUESTS": str(tmp_path / "guests"),
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    found = Reader(tmp_path / "reader", {**os.environ, **ansible_environment()})
    key = found.directory / ".ssh" / "id_ed25519.pub"
    key.parent.mkdir()
    key.write_text(PUBLIC_KEY)
    return found


def play(reader: Reader, name: str, *options: str, expect: int = 0, **variables: object) -> str:
    """What a playbook of the collection prints."""
    given = json.dumps(variables)
    return reader.run("ansible-playbook", f"kubeops.kops.{name}", "-e", given, *options, expect=expect)


def test_a_cluster_from_its_plan_to_its_deletion(vcenter: VCenter, reader: Reader, tmp_path: pathlib.Path) -> None:
    before = sorted(names_in(vcenter))
    assert re.search(r"Plan [0-9a-f]{16}: \d+ to create", reader.typed(PLAN))
    assert (sorted(names_in(vcenter)), open_path(STORE).list_tree()) == (before, [])
    made = reader.typed(CREATE)
    assert "kubeops.kops.validate_cluster -e kops_validate_wait=900" in made
    assert places(STORE) == [f"{CONTROL_PLANE}-1", f"{NODES}-1"]
    given = json.loads((tmp_path / "guests" / f"{seen(STORE)[0]['name']}.credentials").read_text())
    assert json.loads(given["token"])["user"] == LOGIN_OF_NODES["VSPHERE_NODE_USER"]
    assert not any(each in made for each in (PASSWORD, *LOGIN_OF_NODES.values()))
    assert "changed=0" in reader.typed(CREATE)
    play(reader, "delete_cluster", "--check")
    assert len(seen(STORE)) == 2
    play(reader, "delete_cluster")
    assert (sorted(names_in(vcenter)), open_path(STORE).list_tree()) == (before, [])


@pytest.mark.long
def test_the_life_of_a_cluster(vcenter: VCenter, reader: Reader) -> None:
    empty = sorted(names_in(vcenter))
    reader.run(*CREATE.words, "-e", json.dumps({"kops_node_count": 2}))
    before = {each["name"] for each in seen(STORE)}
    # Larger machines.
    play(reader, "edit", kops_groups=[NODES], kops_set=["spec.machineType=4cpu-8gb"])
    assert "another number of processors" in play(reader, "update_cluster")
    assert {each["name"] for each in seen(STORE)} == before
    play(reader, "rolling_update", kops_cloudonly=True)
    now = seen(STORE)
    assert len({each["name"] for each in now} & before) == 1
    assert [each["config.hardware"].numCPU for each in now] == [2, 4, 4]
    assert "changed=0" in play(reader, "update_cluster")
    # Fewer machines.
    play(reader, "edit", kops_groups=[NODES], kops_set=["spec.minSize=1", "spec.maxSize=1"])
    assert re.search(
        rf"- Place/{NODES}-\d+\s+\(instance group {NODES} has 1 at most\)", play(reader, "update_cluster", "--check")
    )
    play(reader, "update_cluster")
    play(reader, "rolling_update", kops_cloudonly=True)
    assert len(seen(STORE)) == 2
    play(reader, "drift", kops_drift_parts=["store", "cloud"], kops_fail_on_drift=True)
    # A machine that somebody has destroyed.
    worker = str(seen(STORE)[1]["name"])
    with vcenter.client() as instance:
        machine = vcenter.machine(instance, worker)
        done(machine.PowerOffVM_Task())
        done(machine.Destroy_Task())
    drift = play(reader, "drift", kops_drift_parts=["store", "cloud"], kops_fail_on_drift=True, expect=2)
    assert f"VM/{NODES}-" in drift
    play(reader, "update_cluster")
    again = str(seen(STORE)[1]["name"])
    assert again != worker
    # A machine that is named.
    play(reader, "delete_instance", kops_instance=again, kops_cloudonly=True)
    assert len(seen(STORE)) == 2
    assert "changed=0" in play(reader, "update_cluster")
    play(reader, "delete_cluster")
    assert sorted(names_in(vcenter)) == empty
    assert client(STORE).cluster_name == NAME
