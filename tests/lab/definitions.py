# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The definitions of kinds that upstream's Go modules contain, pinned by modules/definitions."""

from __future__ import annotations

import json
import pathlib
import subprocess

import yaml
from ansible_collections.kubeops.kops.tests.lab.binaries import MODULES, VERSIONS

# Module -> which of its files have definitions.
_PATTERNS = {
    "github.com/cert-manager/cert-manager": "deploy/crds/*.yaml",
    "github.com/kubernetes-csi/external-snapshotter/client/v6": "config/crd/*.yaml",
    "go.universe.tf/metallb": "config/manifests/metallb-native.yaml",
}
_DIGITALOCEAN = "digitalocean/csi-digitalocean/v4.16.0/deploy/kubernetes/releases/csi-digitalocean-v4.16.0"


def definitions() -> list[dict[str, object]]:
    """The CustomResourceDefinitions of all modules."""
    found = [each for file in _files() for each in yaml.safe_load_all(file.read_text()) if each]
    return [each for each in found if each["kind"] == "CustomResourceDefinition"]


def published() -> dict[str, bytes]:
    """The same as files of a file repository: path -> content."""
    found, cert_manager, snapshots = {}, [], []
    for file in _files():
        if "external-snapshotter" in str(file):
            found[f"kubernetes-csi/external-snapshotter/v6.0.1/client/config/crd/{file.name}"] = file.read_bytes()
            snapshots.append(file.read_bytes())
        elif "metallb" in file.name:
            found[f"metallb/metallb/v{VERSIONS['metallb']}/config/manifests/{file.name}"] = file.read_bytes()
        else:
            cert_manager.append(file.read_bytes())
    # Upstream publishes all of them as one file.
    release = "cert-manager/cert-manager/releases/download/v1.19.5/cert-manager.crds.yaml"
    return {
        **found,
        release: b"\n---\n".join(cert_manager),
        # Those that DigitalOcean publishes with its driver of volumes, of newer snapshots.
        f"{_DIGITALOCEAN}/crds.yaml": b"\n---\n".join(snapshots),
    }


def _files() -> list[pathlib.Path]:
    command = ["go", "mod", "download", "-json", *_PATTERNS]
    done = subprocess.run(command, cwd=MODULES / "definitions", check=True, capture_output=True, text=True)
    found: list[pathlib.Path] = []
    for module in _documents(done.stdout):
        found += sorted(pathlib.Path(module["Dir"]).glob(_PATTERNS[module["Path"]]))
    return found


def _documents(text: str) -> list[dict[str, str]]:
    """JSON documents, one after the other."""
    decoder, found = json.JSONDecoder(), []
    while text := text.lstrip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:]
    return found
