# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last words of instances that did not become nodes."""

from __future__ import annotations

import base64
import types
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.looking import AWSLooking


@pytest.mark.parametrize("refused", ["", "UnsupportedOperation", "UnauthorizedOperation"])
def test_the_last_line_of_the_node_program(refused: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine types of old have no latest output, but one."""
    import boto3
    from botocore.stub import Stubber

    client = boto3.client("ec2", "us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    cloud: Any = types.SimpleNamespace(client=lambda service: client)
    output = (
        "boot\r\n[   9.1] python3[7]: kubeops: this is i-1\r\n[  10.2] python3[7]: kubeops: waiting\r\n[  11.0] end\r\n"
    )
    answer = {"Output": base64.b64encode(output.encode()).decode()}
    with Stubber(client) as stub:
        if refused:
            latest = {"InstanceId": "i-1", "Latest": True}
            stub.add_client_error("get_console_output", refused, expected_params=latest)
        if refused != "UnauthorizedOperation":
            stub.add_response("get_console_output", answer)
            assert AWSLooking().last_line(cloud, "i-1") == "kubeops: waiting"
        else:
            assert AWSLooking().last_line(cloud, "i-1") == ""
        stub.assert_no_pending_responses()
