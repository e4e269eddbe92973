# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules that talk to registries of images."""

from __future__ import annotations


class ModuleDocFragment:
    """Options for logins, and for what is read from other places than the publishers' (reading)."""

    DOCUMENTATION = r"""
options:
  plain_http_registries:
    description:
      - Registries that speak HTTP without TLS, such as V(registry.example.com:5000). Those on this machine
        (V(localhost), V(127.0.0.1)) are always asked so.
    type: list
    elements: str
    default: []
  registry_auth_file:
    description:
      - File with logins to registries, in the form of C(docker login) and C(podman login); credential helpers
        that it names are run.
      - Without it, the first of these that exists is read. C(REGISTRY_AUTH_FILE), C(config.json) in
        C(DOCKER_CONFIG), C(containers/auth.json) in C(XDG_RUNTIME_DIR) and in C(~/.config), C(~/.docker/config.json).
    type: path
"""

    READING = r"""
options:
  architectures:
    description:
      - Architectures of the cluster's machines.
      - Without them they are those of the machine types of its instance groups, for which the cloud is asked.
        With them a cluster whose specification leaves no question to the cloud is listed without access to it.
    type: list
    elements: str
    choices: [amd64, arm64]
    default: []
  sources:
    description:
      - Where to read instead of at the publishers, for example through a proxy. Each key is the beginning of an image's
        name or of a URL, such as V(registry.k8s.io) or V(https://github.com), and its value takes that place.
        The longest key that fits counts.
    type: dict
    default: {}
  image_architectures:
    description:
      - V(all) takes images for all architectures that they exist for, so that their digests are those of their
        publishers. V(cluster) takes them for the architectures of the cluster, which is much less data.
      - An image that is named by its digest is always taken whole.
    type: str
    choices: [all, cluster]
    default: all
"""
