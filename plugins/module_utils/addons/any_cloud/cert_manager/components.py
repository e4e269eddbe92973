# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The three programs of cert-manager, and the labels of their objects."""

from __future__ import annotations

from dataclasses import dataclass

VERSION, NAMESPACE, INSTANCE = "v1.19.5", "kube-system", "cert-manager"
# The port of metrics, the same in all programs.
METRICS_PORT = 9402


@dataclass(frozen=True)
class Component:
    """A program. name: of its objects. app, role: what its labels say."""

    name: str
    app: str
    role: str

    @property
    def selector(self) -> dict[str, str]:
        """The labels by which its pods are found."""
        return {
            "app.kubernetes.io/name": self.app,
            "app.kubernetes.io/instance": INSTANCE,
            "app.kubernetes.io/component": self.role,
        }

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its objects and pods."""
        return {"app": self.app, **self.selector, "app.kubernetes.io/version": VERSION}


CONTROLLER = Component(INSTANCE, INSTANCE, "controller")
CA_INJECTOR = Component("cert-manager-cainjector", "cainjector", "cainjector")
WEBHOOK = Component("cert-manager-webhook", "webhook", "webhook")
COMPONENTS = (CA_INJECTOR, CONTROLLER, WEBHOOK)
# Upstream labels two roles of the controller as if they were of another program.
APPROVER = Component(INSTANCE, INSTANCE, INSTANCE)
