# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text that is a URL, and text that cannot be one. What kops has stored may have any characters."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.urls import parse_url


@pytest.mark.parametrize("text", ["https://a\x00", "https://a\x1f/", "https://a/\x7f", "https://a b", "https://a:port"])
def test_no_url(text: str) -> None:
    assert parse_url(text) is None


@pytest.mark.parametrize("text", ["https://a", "s3://bucket/a b", "https://a:6443/path"])
def test_urls(text: str) -> None:
    found = parse_url(text)
    assert found is not None
    assert found.geturl() == text
