# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of several operations work on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.tests.support.google.server import GoogleServer


@pytest.fixture(name="google")
def make_google(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleServer]:
    """Google's APIs without any object, and credentials for them."""
    for variable in ("CLOUDSDK_CORE_PROJECT", "GOOGLE_CLOUD_PROJECT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    with GoogleServer() as server:
        for variable, url in server.environment.items():
            monkeypatch.setenv(variable, url)
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(server.credentials(tmp_path)))
        yield server
