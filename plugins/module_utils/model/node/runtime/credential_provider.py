# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the kubelet logs in to the registry of its cloud (kubelet.go of nodeup)."""

from __future__ import annotations

from typing import Any

from ..context import BINARIES, NodeContext
from ..draft import Draft, yaml_text

PATH = "/var/lib/kubelet/credential-provider.conf"


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
    draft.file(PATH, yaml_text(config))
    return [f"--image-credential-provider-config={PATH}", f"--image-credential-provider-bin-dir={BINARIES}"]


def _provider(context: NodeContext) -> dict[str, Any] | None:
    provider = context.cloud.credential_provider
    if provider is None:
        return None
    containerd = context.containerd
    mirrors = containerd.registry_mirrors if containerd.use_ecr_credentials_for_mirrors else {}
    config: dict[str, Any] = {
        "name": provider.name,
        "matchImages": [*provider.images, *(sorted(mirrors) if provider.serves_mirrors else [])],
        "defaultCacheDuration": provider.cache,
        "args": list(provider.arguments),
    }
    if provider.region_variable:
        config["env"] = [{"name": provider.region_variable, "value": context.region}]
    return config
