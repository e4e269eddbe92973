# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the kubelet logs in to the registry of its cloud (kubelet.go of nodeup)."""

from __future__ import annotations

from typing import Any

from ...api.yaml.write import dump_plain
from .context import BINARIES, NodeContext
from .draft import Draft

PATH = "/var/lib/kubelet/credential-provider.conf"
_ECR = (
    "*.dkr.ecr.*.amazonaws.com",
    "*.dkr.ecr.*.amazonaws.com.cn",
    "*.dkr.ecr-fips.*.amazonaws.com",
    "*.dkr.ecr.us-iso-east-1.c2s.ic.gov",
)
_GCP = ("gcr.io", "*.gcr.io", "container.cloud.google.com", "*.pkg.dev")


def build(context: NodeContext, draft: Draft) -> list[str]:
    """The file that names the provider; the options by which the kubelet finds it, none in clouds without one."""
    provider = _provider(context)
    if provider is None:
        return []
    config = {
        "apiVersion": "kubelet.config.k8s.io/v1",
        "kind": "CredentialProviderConfig",
        "providers": [{"apiVersion": "credentialprovider.kubelet.k8s.io/v1", **provider}],
    }
    draft.file(PATH, dump_plain(config))
    return [f"--image-credential-provider-config={PATH}", f"--image-credential-provider-bin-dir={BINARIES}"]


def _provider(context: NodeContext) -> dict[str, Any] | None:
    if context.cloud == "aws":
        mirrors = context.containerd.registry_mirrors if context.containerd.use_ecr_credentials_for_mirrors else {}
        return {
            "name": "ecr-credential-provider",
            "matchImages": [*_ECR, *sorted(mirrors)],
            "defaultCacheDuration": "12h0m0s",
            "args": ["get-credentials"],
            "env": [{"name": "AWS_REGION", "value": context.region}],
        }
    if context.cloud == "gce":
        return {
            "name": "gcp-credential-provider",
            "matchImages": list(_GCP),
            "defaultCacheDuration": "1m0s",
            "args": ["get-credentials", "--v=3"],
        }
    return None
