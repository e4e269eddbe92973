# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program for each cloud: another cloud, and changes in its files, replace no instances."""

from __future__ import annotations

import io
import json
import pathlib
import subprocess
import sys
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils import node
from ansible_collections.kubeops.kops.plugins.module_utils.api.cloud import Cloud
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import (
    AWS,
    CLOUDS,
    DIGITALOCEAN,
    GCE,
    HETZNER,
    METAL,
    OPENSTACK,
    VSPHERE,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program import loader_text, sources
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program

STUB = Cloud(name="stub", title="Stub", starts_nodes=True)
FILES = {
    "__init__": "",
    "cloud": """
from ...base.errors import ConfigError
from .words import REFUSED

def this_instance():
    raise ConfigError([REFUSED])
""",
    "words": 'REFUSED = "an instance of the stub"\n',
    "load": "from ..loader.load import run\n",
}


ALIKE = ("node/cloud/plain", "node/stores/json_service", "node/stores/xml_service")
ASKED_BACK = ("node/cloud/asked_back", "node/cloud/challenge")
# What else the programs of clouds have: AWS signs all its requests as those to S3 are signed.
BESIDES = {
    AWS: ("node/stores/signing", "node/stores/xml_service"),
    GCE: (*ALIKE, "base/google_instance_ids"),
    DIGITALOCEAN: (
        *ALIKE,
        *ASKED_BACK,
        "base/digitalocean_droplet_ids",
        "exchange/server_credentials",
        "node/cloud/given",
        "node/stores/given_credentials",
        "node/stores/signing",
    ),
    HETZNER: (
        *ALIKE,
        *ASKED_BACK,
        "base/hetzner_server_ids",
        "exchange/server_credentials",
        "node/cloud/given",
        "node/stores/given_credentials",
        "node/stores/signing",
    ),
    OPENSTACK: (*ALIKE, *ASKED_BACK, "base/openstack_server_ids", "exchange/openstack_sealing"),
    VSPHERE: (
        *ASKED_BACK,
        "base/vsphere_vm_ids",
        "exchange/server_credentials",
        "node/cloud/given",
        "node/cloud/plain",
        "node/stores/given_credentials",
        "node/stores/signing",
        "node/stores/xml_service",
    ),
}


def forget() -> None:
    for function in (sources.source, node_program, loader_text.loader_text):
        function.cache_clear()


@pytest.fixture(name="folder")
def make_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A copy of node/, from which sources are read."""
    real = pathlib.Path(node.__file__).parent
    copy = tmp_path / "node"
    copy.mkdir()
    # Folders are real ones: what a test writes below a link would be written into the collection.
    for path in real.rglob("*.py"):
        place = copy / path.relative_to(real)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(path)
    forget()
    monkeypatch.setattr(node, "__file__", str(copy / "__init__.py"))
    yield copy
    forget()


def add_stub(folder: pathlib.Path, **changed: str) -> None:
    (folder / "stub").mkdir(exist_ok=True)
    for name, text in {**FILES, **changed}.items():
        (folder / "stub" / f"{name}.py").write_text(text)
    forget()


def names(cloud: Cloud, stores: tuple[str, ...] = ()) -> set[str]:
    with zipfile.ZipFile(io.BytesIO(node_program(cloud, stores))) as archive:
        return set(archive.namelist())


def made_for_aws(model: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What an AWS cluster has of its node program: the file, and the user data of its groups."""
    tasks = model()
    templates = {key: str(task.user_data) for key, task in tasks.items() if key.startswith("LaunchTemplate/")}
    assert len(templates) == 2
    return {**templates, "program": tasks["ContentAddressedFile/node-program"].data}


def test_another_cloud_and_its_changes_change_nothing_of_aws(folder: pathlib.Path, model: Any) -> None:
    before = made_for_aws(model)
    add_stub(folder)
    program = node_program(STUB)
    assert made_for_aws(model) == before
    add_stub(folder, words='REFUSED = "another sentence"\n')
    assert node_program(STUB) != program
    assert made_for_aws(model) == before


def test_what_all_clouds_share_changes_all(folder: pathlib.Path, model: Any) -> None:
    before = made_for_aws(model)
    shared = (folder / "system" / "lock.py").read_text()
    (folder / "system" / "lock.py").unlink()
    (folder / "system" / "lock.py").write_text(f"{shared}\nNEW = 1\n")
    forget()
    now = made_for_aws(model)
    assert [key for key in before if now[key] == before[key]] == []


@pytest.mark.parametrize("cloud", CLOUDS.values(), ids=lambda cloud: cloud.name)
def test_a_program_holds_its_own_cloud_only(cloud: Cloud) -> None:
    own = {name for name in names(cloud) if name.startswith(f"kops/node/{cloud.name}/")}
    assert (len(own) > 1) == cloud.starts_nodes
    assert names(cloud) - own - names(METAL) == {
        f"kops/{name}.py" for name in (BESIDES[cloud] if cloud.starts_nodes else ())
    }


def test_another_cloud_can_read_s3_without_the_files_of_aws(folder: pathlib.Path) -> None:
    add_stub(folder)
    found = names(STUB, ("s3",))
    assert {"kops/node/stores/s3.py", "kops/node/stores/signing.py", "kops/node/stub/cloud.py"} <= found
    assert [name for name in found if name.startswith("kops/node/aws/")] == []
    assert not any(name.startswith("kops/node/stores/s3") for name in names(STUB))


def test_a_program_holds_the_stores_of_its_cluster(folder: pathlib.Path, model: Any) -> None:
    """So a kind of store that is new, or changes, replaces no instances of clusters that have another."""
    before = made_for_aws(model)
    assert before["program"] == node_program(AWS, ("s3",))
    (folder / "stores" / "stub.py").write_text("def store(access):\n    raise AssertionError\n")
    forget()
    assert made_for_aws(model) == before
    assert names(AWS, ("s3", "stub")) - names(AWS, ("s3",)) == {"kops/node/stores/stub.py"}
    (folder / "stores" / "s3.py").unlink()
    (folder / "stores" / "s3.py").write_text("def store(access):\n    raise AssertionError\n")
    forget()
    assert made_for_aws(model)["program"] != before["program"]


def test_a_key_for_a_store_beside_the_clouds_own_comes_with_that_store() -> None:
    """So it changes no servers of clusters that have none in S3."""
    key = {"kops/node/openstack/store_key.py", "kops/node/stores/given_credentials.py"}
    assert key <= names(OPENSTACK, ("s3",)) & names(OPENSTACK, ("s3", "swift"))
    assert not key & names(OPENSTACK, ("swift",))
    assert not key & names(AWS, ("s3",))


def test_a_program_has_what_its_instances_have_for_their_store(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "kops-node"
    program.write_bytes(node_program(OPENSTACK, ("s3",)))
    code = f"import sys; sys.path.insert(0, {str(program)!r})\n"
    code += "from kops.node.openstack.instance import OpenStackServer as S; print(S().access_to('s3').domain())"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "amazonaws.com", done.stderr


def test_a_program_runs_with_its_own_cloud(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    add_stub(folder)
    place = {"location": "x", "sha256": "0" * 64}
    boot: dict[str, Any] = {"cloud": "stub", "cluster": "demo.example.com", "instanceGroup": "nodes", "role": "Node"}
    boot |= {"program": place, "nodeConfigs": {"amd64": place, "arm64": place}, "store": "stub://store"}
    (tmp_path / "boot.json").write_text(json.dumps(boot))
    program = tmp_path / "kops-node"
    program.write_bytes(node_program(STUB))
    command = [sys.executable, "-I", "-S", program, "boot", "--config", tmp_path / "boot.json", "--once", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "an instance of the stub" in done.stdout) == (2, True), done.stdout + done.stderr


@pytest.mark.parametrize("name", ["cloud", "words"])
def test_a_source_that_is_missing_is_an_error(folder: pathlib.Path, name: str) -> None:
    add_stub(folder)
    (folder / "stub" / f"{name}.py").unlink()
    forget()
    with pytest.raises(KopsError, match=f"plugins/module_utils/node/stub/{name}.py of the collection is missing"):
        node_program(STUB)
