# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credential plugin of this collection, as a kubeconfig names it."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any

from ...base.errors import KopsError
from ...statestore.store import StateStore
from .credential import API_VERSIONS

_PROGRAM = pathlib.Path(__file__).parents[3] / "plugin_utils" / "kubectl_auth.py"
# Where the store is and who asks, as the process that writes the file has it; kubectl may run in another environment.
# Keys are not among them.
_ENVIRONMENT = (
    "AWS_CA_BUNDLE",
    "AWS_CONFIG_FILE",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_PROFILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE",
    "CLOUDSDK_CONFIG",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "S3_ENDPOINT",
    "S3_REGION",
    "STORAGE_EMULATOR_HOST",
)
_HINT = (
    "The credential plugin of kubeops.kops is not there any more; run ansible-playbook kubeops.kops.kubeconfig again."
)


def exec_entry(state_store: str, name: str, lifetime: str) -> dict[str, Any]:
    """``users[].user.exec``. Raises KopsError if the plugin is in no file that kubectl could run."""
    if not _PROGRAM.is_file() or not sys.executable:
        raise KopsError(
            "auth_plugin needs the collection and its Python libraries where the file is used: run the module on the"
            " controller, with the Python of Ansible (ansible_python_interpreter)"
        )
    root = StateStore(state_store).root
    is_file = root.scheme == "file"
    url = f"file://{root.path}" if is_file else state_store
    environment = {} if is_file else {key: os.environ[key] for key in _ENVIRONMENT if os.environ.get(key)}
    return {
        "apiVersion": API_VERSIONS[0],
        "command": sys.executable,
        "args": [str(_PROGRAM), f"--cluster={name}", f"--state={url}", f"--lifetime={lifetime}"],
        "env": [{"name": key, "value": value} for key, value in sorted(environment.items())] or None,
        "installHint": _HINT,
        "interactiveMode": "Never",
        "provideClusterInfo": False,
    }
