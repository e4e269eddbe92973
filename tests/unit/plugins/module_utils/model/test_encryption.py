# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The secret by which the API server encrypts: where it is, and what waits for it."""

from __future__ import annotations

SECRET = "Secret/encryptionconfig"


def test_only_where_it_is_asked_for(model):
    assert SECRET not in model()
    assert SECRET not in model({"encryptionConfig": False})
    assert model({"encryptionConfig": True})[SECRET].base == "s3://store/demo.example.com/secrets"


def test_it_lies_where_the_store_says(model):
    fields = {"encryptionConfig": True, "configStore.secrets": "s3://elsewhere/secrets"}
    assert model(fields)[SECRET].base == "s3://elsewhere/secrets"


def test_it_is_there_before_the_store_says_that_the_cluster_may_run(model):
    tasks = model({"encryptionConfig": True})
    for name in ("kops-version.txt", "cluster-completed.spec"):
        assert tasks[SECRET] in list(tasks[f"ManagedFile/{name}"].dependencies())
