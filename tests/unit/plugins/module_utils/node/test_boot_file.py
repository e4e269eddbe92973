# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot_file import Settings, read

NAMED = {"amd64": {"location": "igconfig/a.json", "sha256": "0"}}
WORKER = {
    "cloud": "aws",
    "cluster": "demo.example.com",
    "instanceGroup": "nodes",
    "role": "Node",
    "nodeConfigs": NAMED,
    "program": {"location": "igconfig/b.pyz", "sha256": "1"},
    "servers": {"addresses": ["a"], "name": "b", "port": 3988, "ca": "PEM"},
    "certificates": ["kubelet"],
    "environment": {"http_proxy": "http://proxy"},
}
READER = {**{key: WORKER[key] for key in WORKER if key not in ("servers", "certificates")}, "store": "s3://a/b"}


def written(tmp_path, data):
    path = tmp_path / "boot.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return str(path)


def test_what_user_data_writes_is_read(tmp_path):
    assert read(written(tmp_path, WORKER)) == Settings(
        "aws",
        "demo.example.com",
        "nodes",
        "Node",
        NAMED,
        servers=WORKER["servers"],
        certificates=("kubelet",),
        environment={"http_proxy": "http://proxy"},
    )
    assert (read(written(tmp_path, READER)).store, read(written(tmp_path, READER)).servers) == ("s3://a/b", None)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "must be a mapping"),
        ({**WORKER, "role": 1}, "role must be a text"),
        ({**WORKER, "store": "s3://a"}, "exactly one of store and servers"),
        ({**READER, "store": ""}, "exactly one of store and servers"),
        ({**WORKER, "nodeConfigs": []}, "nodeConfigs must have"),
        ({**WORKER, "nodeConfigs": {"amd64": {"location": "a"}}}, "nodeConfigs must have"),
    ],
)
def test_problems_are_named(tmp_path, data, said):
    with pytest.raises(ConfigError, match=said):
        read(written(tmp_path, data))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match="boot.json cannot be read: No such file"):
        read(str(tmp_path / "boot.json"))
