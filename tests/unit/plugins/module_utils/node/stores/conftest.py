# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account of tests of AWS, whose S3 is the store."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import xml_service
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3 import S3Store

from ..aws.conftest import server, service, take_role

__all__ = ["server", "service", "take_role"]


@pytest.fixture()
def store(service: object, monkeypatch: pytest.MonkeyPatch) -> S3Store:
    """S3 as that instance sees it, with short pauses."""
    monkeypatch.setattr(xml_service, "_PAUSE", 0.01)
    return S3Store(Metadata())
