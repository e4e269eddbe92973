# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What vCenter refuses, as sentences and kinds of errors."""

from __future__ import annotations

import http.client

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import (
    AccessDenied,
    CloudError,
    Exists,
    Missing,
    NoLogin,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.errors import (
    explain,
    is_fault,
    is_unknown,
    refused,
    refused_by_rest,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater
from pyVmomi import vim, vmodl

PREFIX = "com.vmware.vapi.std.errors"


@pytest.mark.parametrize(
    ("fault", "kind", "text"),
    [
        (
            vim.fault.NoPermission(privilegeId="Folder.Create"),
            AccessDenied,
            "lacks a privilege (NoPermission: Folder.Create)",
        ),
        (vmodl.fault.ManagedObjectNotFound(), Missing, "cannot do it: ManagedObjectNotFound"),
        (vim.fault.FileNotFound(file="x"), Missing, "cannot do it: FileNotFound"),
        (vim.fault.DuplicateName(name="x"), Exists, "cannot do it: DuplicateName"),
        (vim.fault.FileAlreadyExists(file="x"), Exists, "cannot do it: FileAlreadyExists"),
        (vim.fault.InvalidLogin(), NoLogin, "vCenter refuses the login"),
        (vim.fault.TaskInProgress(), TryAgainLater, "cannot do it yet: TaskInProgress"),
        (vim.fault.FileLocked(file="x"), TryAgainLater, "cannot do it yet: FileLocked"),
        (vim.fault.InsufficientMemoryResourcesFault(msg="too little"), CloudError, "none of it left (Insufficient"),
        (vim.fault.NoDiskSpace(file="x", datastore="ds"), CloudError, "the datastore is full"),
        (vmodl.fault.InvalidArgument(msg="bad spec"), CloudError, "cannot do it: InvalidArgument: bad spec"),
    ],
)
def test_faults(fault: Exception, kind: type[KopsError], text: str) -> None:
    found = refused(fault, "do it")
    assert found.__class__ is kind
    assert text in str(found)
    assert is_fault(fault) and not is_unknown(fault)


@pytest.mark.parametrize("error", [ConnectionResetError(), TimeoutError(), http.client.RemoteDisconnected("gone")])
def test_what_leaves_a_write_in_doubt(error: Exception) -> None:
    assert is_unknown(error) and not is_fault(error)


@pytest.mark.parametrize(
    ("status", "body", "kind", "text"),
    [
        (401, "", NoLogin, "cannot do it: vCenter refuses the login"),
        (403, f'{{"type":"{PREFIX}.unauthorized"}}', AccessDenied, "the user lacks a privilege (unauthorized)"),
        (404, "", Missing, "cannot do it: HTTP 404"),
        (
            400,
            f'{{"type":"{PREFIX}.already_exists","value":{{"messages":[]}}}}',
            Exists,
            "cannot do it: already exists",
        ),
        (400, f'{{"type":"{PREFIX}.invalid_argument"}}', CloudError, "cannot do it: invalid argument"),
        (418, "<html>", CloudError, "cannot do it: HTTP 418"),
    ],
)
def test_answers_of_the_rest_api(status: int, body: str, kind: type[KopsError], text: str) -> None:
    found = refused_by_rest(status, body, "do it")
    assert found.__class__ is kind
    assert text in str(found)


def test_a_library_that_is_missing() -> None:
    found = explain(ImportError("no module", name="pyVmomi"))
    assert isinstance(found, NoLogin)
    assert str(found) == "the Python library pyVmomi is missing: install it with 'pip install pyvmomi requests'"


def test_errors_of_ours_keep_their_kind() -> None:
    assert isinstance(explain(Missing("it is gone"), "look"), Missing)
    assert str(explain(TimeoutError("slow"), "look")) == (
        "look: vCenter did not answer: check the network and proxies (slow)"
    )
