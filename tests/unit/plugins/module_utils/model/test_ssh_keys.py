# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprints of SSH keys."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model import ssh_keys

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPd1ihgB5TNuxyKWLDuUpTpGSzQ2VSBBEwiyHHfB3Y4T me"


def test_fingerprint_is_that_of_the_key_not_of_its_line():
    assert ssh_keys.fingerprint(KEY) == ssh_keys.fingerprint(KEY.replace(" me", " you") + "\n")
    assert len(ssh_keys.fingerprint(KEY).split(":")) == 16


@pytest.mark.parametrize("text", ["", "ssh-rsa", "ssh-rsa not/base64!"])
def test_what_is_no_key_is_refused(text):
    with pytest.raises(KopsError, match="OpenSSH"):
        ssh_keys.fingerprint(text)
