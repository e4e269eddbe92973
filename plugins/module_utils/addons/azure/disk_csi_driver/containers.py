# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the containers of the driver of Azure disks have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...objects.csi import sidecar
from ...objects.pods import config_map_variable, requests
from ..cloud_config import NAMESPACE as CONFIG_NAMESPACE
from ..cloud_config import SECRET
from .names import DRIVER, VERSION

_REGISTRY = "mcr.microsoft.com/oss/v2/kubernetes-csi"
_IMAGE = f"{_REGISTRY}/azuredisk-csi:v{VERSION}"
ADDRESS = "--csi-address=$(ADDRESS)"
SOCKET = {"ADDRESS": "/csi/csi.sock"}
CREDENTIALS = "azure-cred"
NAME_OPTION = f"--drivername={DRIVER}"
# Which cloud it is; the Secret is that of the addon azure-cloud-config.
CLOUD_OPTIONS = (
    f"--cloud-config-secret-name={SECRET}",
    f"--cloud-config-secret-namespace={CONFIG_NAMESPACE}",
    "--custom-user-agent=",
    "--user-agent-suffix=kops",
    "--allow-empty-cloud-config=false",
)


def helper(name: str, image: str, args: Sequence[str], memory: str, **more: Any) -> dict[str, Any]:
    """A container beside the driver, without any capability. image: with its version. memory: its limit."""
    return sidecar(
        name, f"{_REGISTRY}/{image}", args, resources=resources(memory), securityContext=no_capabilities(), **more
    )


def resources(memory: str) -> dict[str, Any]:
    """What each container requests, and the limit of its memory."""
    return requests(limits={"memory": memory}, cpu="10m", memory="20Mi")


def no_capabilities() -> dict[str, Any]:
    """The security context of containers that need none."""
    return {"capabilities": {"drop": ["ALL"]}}


def driver(
    args: Sequence[str], memory: str, node_variables: Sequence[dict[str, Any]] = (), **more: Any
) -> dict[str, Any]:
    """The driver, of the controller or on a node."""
    credentials = config_map_variable("AZURE_CREDENTIAL_FILE", "azure-cred-file", "path", optional=True)
    endpoint = {"name": "CSI_ENDPOINT", "value": "unix:///csi/csi.sock"}
    # Upstream's chart leaves it empty.
    level = {"name": "AZURE_GO_SDK_LOG_LEVEL", "value": None}
    return sidecar(
        "azuredisk",
        _IMAGE,
        ["--v=5", "--endpoint=$(CSI_ENDPOINT)", *args],
        env=[credentials, endpoint, *node_variables, level],
        imagePullPolicy="IfNotPresent",
        resources=resources(memory),
        **more,
    )
