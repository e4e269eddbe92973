# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of the controllers of a control plane, a file of the NodeConfig."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ...base.errors import ConfigError
from ...kubernetes.client import KUBECONFIG

CONFIG = "/etc/kubernetes/kops-controller-manager/config.json"


@dataclass(frozen=True)
class Settings:
    """cloud, cluster: their names. node: the name of this node. store: URL of the cluster's directory in the store."""

    cloud: str
    cluster: str
    node: str
    store: str
    kubeconfig: str = KUBECONFIG

    @classmethod
    def load(cls, path: str) -> Settings:
        """Read the file. Raises ConfigError."""
        try:
            with open(path, encoding="utf-8") as stream:
                return cls(**json.load(stream))
        except OSError as error:
            raise ConfigError([f"{path} cannot be read: {error.strerror}"]) from error
        except (ValueError, TypeError) as error:
            raise ConfigError([f"{path} is not the configuration of controllers: {error}"]) from error
