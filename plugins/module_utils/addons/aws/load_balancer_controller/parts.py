# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of the AWS load balancer controller share."""

from __future__ import annotations

NAME, NAMESPACE = "aws-load-balancer-controller", "kube-system"
# Of its objects and of the definitions of its kinds, also where the specification names another image.
VERSION = "v3.3.0"
APP = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/instance": NAME}
LABELS = {**APP, "app.kubernetes.io/version": VERSION, "helm.sh/chart": f"{NAME}-{VERSION.lstrip('v')}"}
# How its pods are found, as in older versions of kops: the selector of a Deployment cannot be changed.
SELECTOR = {"app.kubernetes.io/component": "controller", "app.kubernetes.io/name": NAME}
WEBHOOK_SERVICE = "aws-load-balancer-webhook-service"
WEBHOOK_PORT = "webhook-server"
CERTIFICATE, CERTIFICATE_SECRET = "aws-load-balancer-serving-cert", "aws-load-balancer-webhook-tls"
