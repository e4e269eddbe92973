# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError, KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.kubeconfigs import kubeconfig_text
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import BootstrapServerSettings
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.nodes import ClusterNodes
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.serve import tls_context
from ansible_collections.kubeops.kops.plugins.module_utils.node.clouds import verifier
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.json_files import load
from ansible_collections.kubeops.kops.tests.support import fake_kubernetes

SETTINGS = {
    "cloud": "aws",
    "cluster": "demo.example.com",
    "store": "s3://store/demo.example.com",
    "workers": {"roles": ["nodes"]},
    "port": 3988,
    "certificate": "/no/such.crt",
    "key": "/no/such.key",
    "authorities": "/no/such/ca.crt",
    "node": "i-1",
}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        ("{", "is not JSON"),
        ("[]", "is not the"),
        ('{"x": 1}', "unexpected keyword"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_named(tmp_path: pathlib.Path, content: str | None, said: str) -> None:
    path = tmp_path / "config.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match=said):
        load(BootstrapServerSettings, str(path))


def test_missing_certificates_are_said(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(SETTINGS))
    with pytest.raises(ConfigError, match="certificates of the bootstrap server cannot be read"):
        tls_context(load(BootstrapServerSettings, str(path)))


def test_a_cloud_whose_instances_cannot_be_told_is_named() -> None:
    with pytest.raises(ConfigError, match="no code for instances of the cloud 'linode'"):
        verifier("linode", "demo.example.com", {})


def test_a_node_is_ready_if_its_condition_says_so(tmp_path: pathlib.Path) -> None:
    with fake_kubernetes.serving() as kubernetes:
        path = tmp_path / "kubeconfig"
        path.write_text(kubeconfig_text("kubecfg", kubernetes.url, "CA", "CERTIFICATE", "KEY"))
        nodes = ClusterNodes(str(path))
        assert not nodes.is_ready("i-1")
        for status, expected in (("True", True), ("False", False), ("Unknown", False)):
            kubernetes.add("Node", "i-1", status={"conditions": [{"type": "Ready", "status": status}]})
            assert nodes.is_ready("i-1") is expected
        kubernetes.add("Node", "i-1")
        assert not nodes.is_ready("i-1")
        kubernetes.faults[:] = [403]
        with pytest.raises(KopsError, match="403"):
            nodes.is_ready("i-1")
    with pytest.raises(KopsError, match="cannot be reached"):
        nodes.is_ready("i-1")
    path.unlink()
    with pytest.raises(KopsError, match="cannot be read"):
        nodes.is_ready("i-1")
