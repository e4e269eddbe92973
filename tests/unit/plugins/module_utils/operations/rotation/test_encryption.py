# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of encryption at rest: which one encrypts, which ones only decrypt."""

from __future__ import annotations

import base64
import datetime

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.encryption import (
    EncryptionKeys,
    refuse_wildcards,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import new_encryption_config

NOW = datetime.datetime(2126, 5, 8, 12, tzinfo=datetime.timezone.utc)
NEW = "key-21260508T120000Z"
OWN = """\
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets, jobs.batch]
  providers:
  - aescbc:
      keys: [{name: first, secret: Zmlyc3QtMTYtYnl0ZXMtaw==}, {name: second, secret: c2VjbmQtMTYtYnl0ZXMtaw==}]
  - identity: {}
- resources: [configmaps]
  providers:
  - identity: {}
"""


def names(keys: EncryptionKeys, kind: str) -> list[str]:
    """Of the keys of the first provider."""
    return [each["name"] for each in keys._data["resources"][0]["providers"][0][kind]["keys"]]


def test_a_key_is_added_encrypts_and_is_left_alone() -> None:
    keys = EncryptionKeys(new_encryption_config())
    (old,) = names(keys, "secretbox")
    assert (keys.waiting, keys.old, keys.resources, keys.older_than(NOW)) == ([], [], ["secrets"], True)
    keys.add(NOW)
    assert (names(keys, "secretbox"), keys.waiting, keys.old) == ([old, NEW], [NEW], [])
    assert len(base64.b64decode(keys._data["resources"][0]["providers"][0]["secretbox"]["keys"][1]["secret"])) == 32
    keys = EncryptionKeys(keys.value())
    keys.promote()
    assert (names(keys, "secretbox"), keys.waiting, keys.old) == ([NEW, old], [], [old])
    keys.remove()
    assert (names(keys, "secretbox"), keys.waiting, keys.old, keys.older_than(NOW)) == ([NEW], [], [], False)
    assert b"identity: {}" in keys.value()


def test_keys_of_a_user_stay_until_a_rotation_begins() -> None:
    keys = EncryptionKeys(OWN.encode())
    assert (keys.waiting, keys.old, keys.resources) == ([], [], ["secrets", "jobs.batch"])
    assert keys.older_than(NOW)
    keys.add(NOW)
    keys.promote()
    assert (names(keys, "aescbc"), keys.old) == ([NEW, "first", "second"], ["first", "second"])


def test_what_cannot_be_rotated() -> None:
    head, _aescbc, tail = OWN.partition("  - aescbc:\n")
    kms = "  - kms: {apiVersion: v2, name: vault, endpoint: 'unix:///run/kms.sock'}\n"
    plain = head + kms + tail.partition("\n")[2]
    assert EncryptionKeys(plain.encode()).resources == []
    with pytest.raises(KopsError, match=r"encrypts \*\.apps; its keys can only be rotated where"):
        refuse_wildcards(EncryptionKeys(OWN.replace("jobs.batch", "'*.apps'").encode()))
