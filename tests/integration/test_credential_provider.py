# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real credential provider of AWS, called as kubelet calls it on a node, with the role of the node's group."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, Account, fresh_account
from ansible_collections.kubeops.kops.tests.support import instance_roles
from ansible_collections.kubeops.kops.tests.support.aws_server import REGION, AWSServer
from ansible_collections.kubeops.kops.tests.support.lab_programs import lab_program

pytestmark = pytest.mark.lab_programs

REGISTRY = f"123456789012.dkr.ecr.{REGION}.amazonaws.com"


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """An account that checks policies, with the objects of a cluster, and a role that may do nothing."""
    lab_program("ecr-credential-provider", "ecr-credential-provider")
    with AWSServer(checked=True) as server, pytest.MonkeyPatch.context() as patch:
        made = fresh_account(server, patch, tmp_path_factory.mktemp("account"))
        made.create(zones=[f"{REGION}a"], node_count=0, control_plane_count=1)
        made.update()
        trust = {"Version": "2012-10-17", "Statement": []}
        made.client("iam").create_role(RoleName="nobody", AssumeRolePolicyDocument=json.dumps(trust))
        yield made


def ask(account: Account, role: str) -> subprocess.CompletedProcess[str]:
    """Ask for the credentials of an image as kubelet on an instance with this role does."""
    provider = AWS.credential_provider
    assert provider is not None
    program = lab_program("ecr-credential-provider", provider.name)
    request = {
        "apiVersion": "credentialprovider.kubelet.k8s.io/v1",
        "kind": "CredentialProviderRequest",
        "image": f"{REGISTRY}/app:1",
    }
    with instance_roles.environment_on(account.server, role, "i-0123456789abcdef0") as environment:
        return subprocess.run(
            [str(program), *provider.arguments],
            input=json.dumps(request),
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


def test_a_node_pulls_images_of_the_accounts_registry(account: Account) -> None:
    done = ask(account, f"nodes.{NAME}")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["cacheKeyType"] == "Registry"
    (login,) = answer["auth"].values()
    (token,) = account.client("ecr").get_authorization_token()["authorizationData"]
    assert f"{login['username']}:{login['password']}" == base64.b64decode(token["authorizationToken"]).decode()


def test_a_role_without_the_right_to_pull_gets_no_credentials(account: Account) -> None:
    done = ask(account, "nobody")
    assert done.returncode != 0
    assert "AccessDeniedException" in done.stderr
    assert "is not authorized to perform: ecr:GetAuthorizationToken" in done.stderr
