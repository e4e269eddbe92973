# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader of control planes."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.given_credentials import GivenAccess
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere import load
from ansible_collections.kubeops.kops.tests.support.file_server import running

PLACE = "igconfig/node-program/x.pyz"


def test_it_loads_from_s3_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "access", lambda: GivenAccess(lambda: {"id": "AKEY", "secret": "a-secret"}))
    with running() as (url, server):
        server.files[f"/store/demo/{PLACE}"] = "program"
        monkeypatch.setenv("S3_ENDPOINT", url)
        boot = {"store": "s3://store/demo/", "program": {"location": PLACE}}
        assert load.fetch(boot) == b"program"
    with pytest.raises(OSError, match="servers of this cloud read s3:// only"):
        load.fetch({**boot, "store": "gs://store"})
