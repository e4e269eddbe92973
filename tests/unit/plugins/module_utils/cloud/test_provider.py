# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What operations rely on in every cloud: its row, its provider, and which errors mean that access is denied."""

from __future__ import annotations

import subprocess
import sys

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.errors import refused
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import SUPPORTED
from botocore.exceptions import ClientError

LOADED = """
import sys
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.provider import Provider
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import SUPPORTED
SUPPORTED[{cloud!r}].provider()
SUPPORTED[{cloud!r}].builders()
print(*(name.partition(".module_utils.")[2] or name for name in sys.modules))
"""
LIBRARIES = {"aws": {"boto3", "botocore"}, "gce": {"google.auth", "requests"}, "metal": set()}


@pytest.mark.parametrize("cloud", SUPPORTED)
def test_the_user_of_a_cloud_loads_no_other_clouds_code_and_no_library(cloud: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(cloud=cloud)], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert {f"cloud.{cloud}.provider", f"model.{cloud}.builders"} <= loaded
    others = tuple(f"{room}.{name}." for name in SUPPORTED if name != cloud for room in ("cloud", "model"))
    assert [name for name in loaded if name.startswith(others)] == []
    assert loaded.isdisjoint(set().union(*LIBRARIES.values()))


def aws_error(code: str) -> Exception:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "DescribeVpcs")


@pytest.mark.parametrize(
    ("cloud", "error", "expected"),
    [
        ("aws", aws_error("UnauthorizedOperation"), True),
        ("aws", aws_error("AccessDenied"), True),
        ("aws", aws_error("InvalidVpcID.NotFound"), False),
        ("aws", KopsError("AccessDenied"), False),
        ("gce", refused(403, "no"), True),
        ("gce", refused(401, "no"), False),
        ("metal", PermissionError("no"), False),
    ],
)
def test_which_errors_mean_that_access_is_denied(cloud: str, error: Exception, expected: bool) -> None:
    assert SUPPORTED[cloud].provider().is_denied(error) is expected


def test_groups_of_aws_keep_their_numbers() -> None:
    """Nothing is asked of the client."""
    SUPPORTED["aws"].provider().replacing.replenish(None, "nodes")
