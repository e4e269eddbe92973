# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine to converge: its files below a root, its commands, its distribution."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ...base.errors import ConfigError
from ...exchange.distributions import Distribution, describe, field_of, find_distribution, supported
from .host import Host

# Where the kubelet looks for manifests of static pods.
MANIFESTS = "/etc/kubernetes/manifests"


@dataclass(frozen=True)
class Machine:
    """root: "/", except in tests. host: commands, kernel, addresses. distribution: the row for its os-release."""

    root: str
    host: Host
    distribution: Distribution

    def path(self, path: str) -> str:
        """The path in this process' view (tests have another root)."""
        return os.path.join(self.root, path.lstrip("/"))

    def read_text(self, path: str) -> str:
        """Content of a text file, "" if it cannot be read."""
        try:
            with open(self.path(path), encoding="utf-8", errors="replace") as stream:
                return stream.read()
        except OSError:
            return ""


def find_machine(root: str = "/", host: Host | None = None) -> Machine:
    """The machine of this process; in tests another one. Raises ConfigError if its distribution is not supported."""
    path = os.path.join(root, "etc/os-release")
    try:
        with open(path, encoding="utf-8") as stream:
            os_release = stream.read()
    except OSError as error:
        raise ConfigError([f"{path}: {error.strerror}; it must say which distribution this is"]) from error
    distribution = find_distribution(os_release)
    if distribution is None:
        found = field_of(os_release, "PRETTY_NAME") or "a distribution without a name"
        identity = describe(os_release) or f"no ID in {path}"
        raise ConfigError([f"{found} ({identity}) cannot be a node; distributions that can: {supported()}"])
    return Machine(root, host or Host(), distribution)
