# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of a state store in S3: the server that it is sealed for keeps it, beside its credential."""

from __future__ import annotations

import json
import stat

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.sealing import encrypted, text_of
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.openstack_sealing import (
    CREDENTIAL,
    STORE_KEY,
    key_in,
    pieces_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack import sealed, store_key
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.instance import OpenStackServer

from .test_sealed import SECRET, Server, server

__all__ = ["server"]

KEY = {"id": "AKIAUSER", "secret": "k" * 40}


def test_both_are_opened_and_kept(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    access = OpenStackServer().access_to("s3")
    with pytest.raises(OSError, match="the key of the state store of this control plane is not there yet"):
        access.credentials()
    key = key_in(capsys.readouterr().out)
    assert key is not None
    for message, what in ((SECRET, CREDENTIAL), (KEY, STORE_KEY)):
        server.metadata.update(pieces_of(encrypted(key, text_of(message)), what))
    assert KEY["secret"] not in json.dumps(server.metadata)
    assert (access.credentials().access_key_id, access.credentials().secret_access_key) == (KEY["id"], KEY["secret"])
    assert sealed.credential() == SECRET
    files = {each.name: stat.S_IMODE(each.stat().st_mode) for each in server.directory.iterdir()}
    assert files == {"key.pem": 0o600, "credential.json": 0o600, "store-key.json": 0o600}
    server.metadata.clear()
    assert store_key.store_key() == KEY


def test_a_server_that_has_its_credential_only_still_has_it(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of clusters in Swift, and all that were made before."""
    with pytest.raises(OSError):
        sealed.credential()
    server.give(capsys.readouterr().out)
    assert sealed.credential() == SECRET
    with pytest.raises(OSError, match="the key of the state store of this control plane is not there yet"):
        store_key.store_key()


def test_other_stores_are_none_of_its() -> None:
    with pytest.raises(KopsError, match="no credentials for stores of the kind gs://"):
        OpenStackServer().access_to("gs")
