# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TPMs of two instances, a metadata server and Google's APIs on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.api import Google
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import xml_service
from ansible_collections.kubeops.kops.tests.support import google_metadata, software_tpm
from ansible_collections.kubeops.kops.tests.support.google_metadata import MetadataServer
from ansible_collections.kubeops.kops.tests.support.software_tpm import SoftwareTPM

from .fake_google import FakeGoogle, serving


@pytest.fixture(scope="package")
def tpm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoftwareTPM]:
    """That of one instance."""
    with software_tpm.running(tmp_path_factory.mktemp("tpm") / "one") as running:
        yield running


@pytest.fixture(scope="package")
def other_tpm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoftwareTPM]:
    """That of another one."""
    with software_tpm.running(tmp_path_factory.mktemp("tpm") / "other") as running:
        yield running


@pytest.fixture()
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[MetadataServer]]:
    """The metadata server of an instance."""
    with google_metadata.running(google_metadata.paths_of_an_instance()) as (host, handler):
        monkeypatch.setenv("GCE_METADATA_HOST", host)
        yield handler


@pytest.fixture()
def cloud(server: type[MetadataServer], monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGoogle]:
    """The APIs, which take the tokens of that server only."""
    with serving() as (url, fake):
        fake.tokens = server.tokens
        for name in ("COMPUTE", "DNS"):
            monkeypatch.setenv(f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{name}", f"{url}/{name.lower()}/v1/")
        # Whoever asks for metadata through a proxy, asks nobody.
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        monkeypatch.setenv("no_proxy", url.removeprefix("http://"))
        monkeypatch.setattr(xml_service, "_PAUSE", 0.01)
        yield fake


@pytest.fixture()
def google(cloud: FakeGoogle) -> Google:
    """The APIs as the instance sees them."""
    return Google(Metadata())
