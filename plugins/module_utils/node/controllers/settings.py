# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of the controllers of a control plane, a file of the NodeConfig."""

from __future__ import annotations

from dataclasses import dataclass

from ...kubernetes.client import KUBECONFIG
from .. import boot_file
from ..system.json_files import read_configuration

CONFIG = "/etc/kubernetes/kops-controller-manager/config.json"


@dataclass(frozen=True)
class Settings:
    """What the process is told.

    cloud, cluster: their names. node: the name of this node. store: URL of the cluster's directory in the store. boot:
    the file that user data has written. lock: is held by the process, of which there is one on a machine.
    """

    cloud: str
    cluster: str
    node: str
    store: str
    kubeconfig: str = KUBECONFIG
    boot: str = boot_file.PATH
    lock: str = "/run/kops/controllers.lock"

    @classmethod
    def load(cls, path: str) -> Settings:
        """Read the file. Raises ConfigError."""
        return read_configuration(cls, path, "the configuration of controllers")
