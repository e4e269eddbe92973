# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The definitions of kinds that upstream's Go modules contain, pinned by modules/definitions."""

from __future__ import annotations

import json
import pathlib
import subprocess

import yaml
from ansible_collections.kubeops.kops.tests.lab.binaries import MODULES

# Module -> directory of its definitions.
_DIRECTORIES = {
    "github.com/cert-manager/cert-manager": "deploy/crds",
    "github.com/kubernetes-csi/external-snapshotter/client/v6": "config/crd",
}


def definitions() -> list[dict[str, object]]:
    """The CustomResourceDefinitions of all modules."""
    command = ["go", "mod", "download", "-json", *_DIRECTORIES]
    done = subprocess.run(command, cwd=MODULES / "definitions", check=True, capture_output=True, text=True)
    found = []
    for module in _documents(done.stdout):
        directory = pathlib.Path(module["Dir"]) / _DIRECTORIES[module["Path"]]
        for file in sorted(directory.glob("*.yaml")):
            found += [each for each in yaml.safe_load_all(file.read_text()) if each]
    return [each for each in found if each["kind"] == "CustomResourceDefinition"]


def _documents(text: str) -> list[dict[str, str]]:
    """JSON documents, one after the other."""
    decoder, found = json.JSONDecoder(), []
    while text := text.lstrip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:]
    return found
