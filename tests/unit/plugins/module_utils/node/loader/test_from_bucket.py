# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.loader.from_bucket import program_in_bucket
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.given_credentials import GivenAccess
from ansible_collections.kubeops.kops.tests.support.file_server import running

ACCESS = GivenAccess(lambda: {"id": "key", "secret": "secret"})
SCHEMES = ("do", "s3")


def boot(store: str) -> dict[str, object]:
    return {"store": store, "program": {"location": "bin/program", "sha256": "0" * 64}}


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("S3_REGION", "S3_ENDPOINT", "S3_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "*")


@pytest.mark.parametrize("store", ["do://store/demo", "s3://store/demo/"])
def test_it_is_read_where_boot_says(monkeypatch, store):
    with running() as (url, files):
        monkeypatch.setenv("S3_ENDPOINT", url)
        files.files["/store/demo/bin/program"] = "program"
        assert program_in_bucket(boot(store), ACCESS, SCHEMES) == b"program"
        assert files.asked == ["/store/demo/bin/program"]


def test_a_refusal_names_the_object(monkeypatch):
    with running() as (url, _files):
        monkeypatch.setenv("S3_ENDPOINT", url)
        with pytest.raises(OSError, match=r"do://store/demo/bin/program: .*404"):
            program_in_bucket(boot("do://store/demo"), ACCESS, SCHEMES)


def test_credentials_that_are_not_there_yet_are_what_it_waits_for(monkeypatch):
    def none() -> dict[str, str]:
        raise OSError("the credentials of this control plane are not there yet")

    monkeypatch.setenv("S3_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(OSError, match="not there yet"):
        program_in_bucket(boot("do://store/demo"), GivenAccess(none), SCHEMES)


def test_stores_that_a_cloud_does_not_read_are_named():
    with pytest.raises(OSError, match="gs://store/demo cannot be read: servers .* read do:// and s3:// only"):
        program_in_bucket(boot("gs://store/demo"), ACCESS, SCHEMES)


def test_without_an_endpoint_nothing_is_asked_of_amazon():
    with pytest.raises(OSError, match="S3_ENDPOINT, which user data tells, is not set"):
        program_in_bucket(boot("do://store/demo"), ACCESS, SCHEMES)
