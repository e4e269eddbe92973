# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job is cancelled: SIGKILL to the process group of ansible-playbook, in the middle of its writes."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import read_lease
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import LEASE, ClusterStore
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    NAME,
    STORE,
    Account,
    ansible_environment,
)
from ansible_collections.kubeops.kops.tests.support.aws_server import is_write

pytestmark = pytest.mark.long

ZONE = "us-east-1a"
# Another Python than that of ansible-playbook, by its address: modules are processes, as Ansible runs them.
OTHER_PYTHON = "-e", f"ansible_python_interpreter={ROOT}/.venv/bin/../bin/python"


def _writes(account: Account) -> int:
    return sum(map(is_write, account.server.calls()))


def _cancel(account: Account, playbook: str, *arguments: str, after: int) -> None:
    """Start a playbook and cancel it, with its process group, at its so-many-th write."""
    command = ["ansible-playbook", f"kubeops.kops.{playbook}", *arguments]
    started = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **ansible_environment()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    account.server.kill_at_write(-started.pid, after, before=False)
    assert started.wait() == -signal.SIGKILL, "it was done before it could be cancelled"


def _running(mark: str) -> list[str]:
    """The processes that have a text in their environment: those of one run, whatever group or session they are in."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [("update", ()), ("delete", ()), ("update", OTHER_PYTHON)],
    ids=["update", "delete", "update-as-a-process"],
)
def test_a_cancelled_run_writes_no_more_and_leaves_no_process(
    account: Account, monkeypatch: pytest.MonkeyPatch, operation: str, arguments: tuple[str, ...]
) -> None:
    account.create(zones=[ZONE], topology="private")
    if operation == "delete":
        account.update()
    with monkeypatch.context() as marked:
        marked.setenv("KOPS_TEST_RUN", mark := f"cancelled-{os.getpid()}-{time.monotonic_ns()}")
        _cancel(account, f"{operation}_cluster", *arguments, after=8)
    time.sleep(1)
    assert _running(mark) == []
    writes = _writes(account)
    time.sleep(3)
    assert _writes(account) == writes

    # The lease says who had it. Its holder is dead, so it is free at once.
    record, _etag = read_lease(ClusterStore.open(STORE, NAME).path.join(LEASE))
    assert (record["operation"], "released" in record) == (f"{operation} cluster", False)
    again = account.update if operation == "update" else account.delete
    assert again(lease_wait=0).changed
    assert not again().changed
