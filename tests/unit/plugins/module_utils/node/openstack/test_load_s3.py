# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of control planes whose state store is in S3."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack import load_s3
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.given_credentials import GivenAccess
from ansible_collections.kubeops.kops.tests.support.file_server import running

KEY = {"id": "AKIAUSER", "secret": "of-the-user"}
PLACE = "igconfig/node-program/x.pyz"


def test_it_loads_from_s3_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_s3, "access", lambda: GivenAccess(lambda: KEY))
    with running() as (url, server):
        server.files[f"/store/demo/{PLACE}"] = "program"
        monkeypatch.setenv("S3_ENDPOINT", url)
        boot = {"store": "s3://store/demo/", "program": {"location": PLACE}}
        assert load_s3.fetch(boot) == b"program"
        with pytest.raises(OSError, match=f"s3://none/{PLACE}: HTTP Error 404"):
            load_s3.fetch({**boot, "store": "s3://none"})
    with pytest.raises(OSError, match="swift://store is not in S3"):
        load_s3.fetch({**boot, "store": "swift://store"})
