# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates that will have expired."""

from __future__ import annotations

import datetime

from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.age import of_keypairs

NOW = datetime.datetime(2026, 5, 8, 12, tzinfo=datetime.timezone.utc)


def test_certificates_in_use_that_expire_soon() -> None:
    pairs = [
        {"keyset": "ca", "id": "1", "distrusted": False, "not_after": "2026-06-01T00:00:00Z"},
        {"keyset": "ca", "id": "2", "distrusted": False, "not_after": "2026-07-01T00:00:00Z"},
        {"keyset": "ca", "id": "3", "distrusted": True, "not_after": "2026-06-01T00:00:00Z"},
        {"keyset": "ca", "id": "4", "distrusted": False},
    ]
    assert [each.name for each in of_keypairs(pairs, 30, NOW)] == ["ca/1"]
    assert [each.name for each in of_keypairs(pairs, 90, NOW)] == ["ca/1", "ca/2"]
