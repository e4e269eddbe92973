# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.store_places import elsewhere_of, url_of

STORE = "s3://store/demo"


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("pki/private/kubernetes-ca/keyset.yaml", "s3://keys/a/private/kubernetes-ca/keyset.yaml"),
        ("secrets/dockerconfig", "s3://store/demo/secrets/dockerconfig"),
        ("pkis/x", "s3://store/demo/pkis/x"),
        ("igconfig/pki/x", "s3://store/demo/igconfig/pki/x"),
    ],
)
def test_only_files_of_a_directory_that_is_elsewhere_are_there(path: str, url: str) -> None:
    for store, keys in ((STORE, "s3://keys/a"), (f"{STORE}/", "s3://keys/a/")):
        assert url_of(store, {"pki": keys}, path) == url


def test_what_is_below_the_store_is_not_named() -> None:
    assert elsewhere_of(STORE, "", "") == {}
    assert elsewhere_of(f"{STORE}/", f"{STORE}/pki", f"{STORE}/secrets/") == {}
    assert elsewhere_of(STORE, "s3://keys", f"{STORE}/secret") == {"pki": "s3://keys", "secrets": f"{STORE}/secret"}
