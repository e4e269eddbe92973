# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import urllib.error

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata


def test_one_token_is_asked_for_and_used(service):
    metadata = Metadata()
    assert metadata.get("meta-data/instance-id") == "i-0123456789abcdef0"
    assert metadata.get("meta-data/local-ipv4") == "10.0.0.7"
    assert [each.partition(" ")[0] for each in service.asked] == ["PUT", "GET", "GET"]


def test_a_token_that_is_no_longer_valid_is_replaced(service):
    metadata = Metadata()
    metadata.get("meta-data/instance-id")
    service.tokens.clear()
    assert metadata.get("meta-data/instance-id") == "i-0123456789abcdef0"


def test_a_service_that_refuses_every_token_is_an_error(service):
    service.statuses += [200, 401, 200, 401]
    with pytest.raises(urllib.error.HTTPError, match="401"):
        Metadata().get("meta-data/instance-id")


def test_what_there_is_not_is_empty_or_an_error(service):
    assert Metadata().find("meta-data/tags/instance/Name") == ""
    with pytest.raises(urllib.error.HTTPError, match="404"):
        Metadata().get("meta-data/tags/instance/Name")
    service.statuses += [200, 500]
    with pytest.raises(urllib.error.HTTPError, match="500"):
        Metadata().find("meta-data/instance-id")


def test_credentials_are_those_of_the_role_and_are_kept_for_a_while(service, monkeypatch):
    metadata = Metadata()
    first = metadata.credentials()
    assert first.access_key_id.startswith("ASIA")
    assert first.token
    path = "meta-data/iam/security-credentials/masters"
    service.paths[path] = json.dumps({**json.loads(service.paths[path]), "AccessKeyId": "ASIANEW"})
    assert metadata.credentials() == first
    metadata._until = 0
    assert metadata.credentials().access_key_id == "ASIANEW"


def test_an_instance_without_a_role_says_so(service):
    del service.paths["meta-data/iam/security-credentials/masters"]
    with pytest.raises(OSError, match="no credentials of a role"):
        Metadata().credentials()
