# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bootstrap server of a control plane in a cloud: unit, configuration, certificate (kops_controller.go of nodeup).

The node program serves (node/bootstrap/). Names, port and place of the certificate are those of kops-controller.
"""

from __future__ import annotations

from ....api.questions import names_nodes_by_address
from ....exchange.settings import BootstrapServerSettings
from ....exchange.store_places import elsewhere_of
from ....statestore.pki import Subject
from ...ports import KOPS_CONTROLLER
from ..certificates import Certificate
from ..context import CA_FILE, NODE_NAME, NodeContext
from ..draft import Draft
from ..systemd import program_command, unit_text

UNIT = "kops-controller.service"
_NAME, _DIRECTORY = "kops-controller", "/etc/kubernetes/kops-controller"
_CONFIG = BootstrapServerSettings.FILE
_DEADLINE = 60


def server_name(cluster: str) -> str:
    """The name in the certificates of a cluster's bootstrap servers."""
    return f"{_NAME}.internal.{cluster}"


def build(context: NodeContext, draft: Draft) -> None:
    """The server, where instances can prove who they are."""
    if not context.cloud.starts_nodes:
        return
    certificate = Certificate(
        _NAME,
        Subject(_NAME),
        type="server",
        alternate_names=(server_name(context.name),),
        directory=_DIRECTORY,
    )
    draft.directory(_DIRECTORY)
    draft.certificate(certificate)
    draft.file(_CONFIG, _settings(context, certificate).text())
    files = [f"file:{path}" for path in (_CONFIG, CA_FILE, certificate.path, certificate.key_path)]
    # Requests that it breaks off are repeated.
    draft.unit(UNIT, _unit(), restart_on=files, quietRestartOn=files)
    draft.check(UNIT, "unit", UNIT, {"unit": UNIT}, _DEADLINE)


def _settings(context: NodeContext, certificate: Certificate) -> BootstrapServerSettings:
    store = context.cluster.spec.config_store
    return BootstrapServerSettings(
        cloud=context.cloud.name,
        cluster=context.name,
        store=str(store.base or ""),
        workers=dict(context.workers),
        port=KOPS_CONTROLLER,
        certificate=certificate.path,
        key=certificate.key_path,
        authorities=CA_FILE,
        node=NODE_NAME,
        elsewhere=elsewhere_of(store.base or "", store.keypairs or "", store.secrets or "") or {},
        named_by_address=names_nodes_by_address(context.cluster),
    )


def _unit() -> str:
    return unit_text(
        {
            "Unit": [
                ("Description", "Bootstrap server: nodes of the cluster get their configuration and certificates"),
                ("Wants", "network-online.target"),
                ("After", "network-online.target"),
                ("StartLimitIntervalSec", "0"),
            ],
            "Service": [
                ("EnvironmentFile", "-/etc/environment"),
                ("ExecStart", program_command(f"serve --config {_CONFIG}")),
                ("Restart", "always"),
                ("RestartSec", "2"),
                # Whoever is in the network can connect to it.
                ("MemoryMax", "300M"),
                ("TasksMax", "256"),
                ("NoNewPrivileges", "yes"),
                ("ProtectSystem", "full"),
                ("ProtectHome", "yes"),
                ("PrivateTmp", "yes"),
            ],
            "Install": [("WantedBy", "multi-user.target")],
        }
    )
