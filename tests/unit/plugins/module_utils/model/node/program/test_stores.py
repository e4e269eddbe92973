# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which stores the node program of a cluster reads."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.sources import needed_source
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.stores import SCHEMES, schemes_of


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"configStore.base": "s3://store/demo"}, ("s3",)),
        ({"configStore.base": "s3://store/demo", "configStore.keypairs": "s3://keys/demo"}, ("s3",)),
        ({"configStore.base": "file:///store/demo"}, ()),
        ({"configStore.base": "file:///store/demo", "configStore.keypairs": "s3://keys/demo"}, ("s3",)),
        ({"configStore.base": "gs://store/demo"}, ("gs",)),
        ({"configStore.base": "s3://store/demo", "configStore.keypairs": "gs://keys/demo"}, ("gs", "s3")),
        ({"configStore.base": "do://store/demo"}, ("do",)),
        ({"configStore.base": "hos://store/demo"}, ("hos",)),
        ({"configStore.base": "file:///store/demo", "configStore.secrets": "s3://keys/demo"}, ("s3",)),
    ],
)
def test_the_schemes_of_all_its_urls_that_nodes_read(context_of, fields, expected):
    context = context_of(fields)
    for etcd in context.cluster.spec.etcd_clusters:
        etcd.backups = None
    assert schemes_of(context.cluster) == expected


def test_backups_of_etcd_may_be_in_a_store_of_their_own(context_of):
    fields = {"configStore.base": "file:///store/demo"}
    cluster = context_of(fields).cluster
    for etcd in cluster.spec.etcd_clusters:
        if etcd.backups:
            etcd.backups.backup_store = "s3://backups/demo"
    assert schemes_of(cluster) == ("s3",)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_scheme_has_its_module(scheme):
    assert "def store(access" in needed_source(f"node/stores/{scheme}")
