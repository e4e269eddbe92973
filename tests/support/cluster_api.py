# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Cluster API and its providers accept: their own definitions of kinds, from their Go modules.

Go keeps modules in its own cache, outside of the checkout. Without Go, or where its proxy does not have them, tests
that ask for them are skipped.
"""

from __future__ import annotations

import functools
import json
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
import yaml

# Module and version -> the directories of its definitions.
MODULES = {
    "sigs.k8s.io/cluster-api@v1.13.6": (
        "config/crd/bases",
        "controlplane/kubeadm/config/crd/bases",
        "bootstrap/kubeadm/config/crd/bases",
    ),
    "sigs.k8s.io/cluster-api-provider-aws/v2@v2.13.0": ("config/crd/bases",),
    "sigs.k8s.io/cluster-api-provider-gcp@v1.13.1": ("config/crd/bases",),
    "sigs.k8s.io/cluster-api-provider-openstack@v0.11.3": ("config/crd/bases",),
    "sigs.k8s.io/cluster-api-provider-vsphere@v1.14.0": ("config/default/crd/bases",),
}
_SECONDS = 300
# What an API server has itself.
_BUILT_IN = ("v1/Secret",)


def problems_of(found: Mapping[str, Any]) -> list[str]:
    """Why an API server with these definitions would refuse an object, or drop a part of it."""
    kind = f"{found['apiVersion']}/{found['kind']}"
    if kind in _BUILT_IN:
        return []
    if kind not in _schemas():
        return [f"{kind}: there is no such kind"]
    return [f"{kind}: {error.json_path}: {error.message}" for error in _validator(kind).iter_errors(dict(found))]


def installed(module: str) -> pathlib.Path:
    """The directory of a Go module and version."""
    if not shutil.which("go"):
        pytest.skip("Go is not here")
    command = ["go", "mod", "download", "-json", module]
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False, timeout=_SECONDS)
    place = json.loads(done.stdout or "{}").get("Dir")
    if done.returncode or not place:
        pytest.skip(f"Go's proxy does not give {module}")
    return pathlib.Path(place)


@functools.cache
def _schemas() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module, directories in MODULES.items():
        place = installed(module)
        for path in sorted(each for directory in directories for each in (place / directory).glob("*.yaml")):
            definition = yaml.safe_load(path.read_text())["spec"]
            for version in definition["versions"]:
                kind = f"{definition['group']}/{version['name']}/{definition['names']['kind']}"
                if version["served"]:
                    found[kind] = version["schema"]["openAPIV3Schema"]
    return found


@functools.cache
def _validator(kind: str) -> jsonschema.Draft202012Validator:
    schema = _strict(_schemas()[kind])
    schema["properties"]["metadata"] = {"type": "object", "required": ["name"]}
    return jsonschema.Draft202012Validator(schema)


def _strict(schema: Any) -> Any:
    """A schema that refuses what an API server would drop without a word."""
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    result = {key: _strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        result.setdefault("additionalProperties", False)
    return result
