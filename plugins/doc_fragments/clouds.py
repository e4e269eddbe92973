# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the libraries and credentials by which clouds are asked: the lines of each cloud."""

from __future__ import annotations


class ModuleDocFragment:
    """What modules need that ask the cloud of a cluster."""

    DOCUMENTATION = r"""
# Ansible takes no fragment without options.
options: {}
requirements:
  - boto3 (for clusters on AWS)
  - google-auth and requests (for clusters on Google Cloud)
  - hcloud (for clusters on Hetzner Cloud)
  - requests (for clusters on DigitalOcean)
  - pyvmomi and requests (for clusters on vSphere)
notes:
  - AWS is asked with the credentials of its SDK, which are the environment variables E(AWS_PROFILE),
    E(AWS_ACCESS_KEY_ID), E(AWS_SECRET_ACCESS_KEY) and so on, or the files and roles of the SDK.
  - Google Cloud is asked with its application default credentials, which are the file that
    E(GOOGLE_APPLICATION_CREDENTIALS) names, those of C(gcloud auth application-default login), or those of the machine.
  - Hetzner Cloud is asked with the token in E(HCLOUD_TOKEN).
  - DigitalOcean is asked with the token in the environment variable E(DIGITALOCEAN_ACCESS_TOKEN).
  - A vCenter is asked with the login in E(VSPHERE_SERVER), E(VSPHERE_USER) and E(VSPHERE_PASSWORD). Its certificate is
    checked by E(VSPHERE_CA_FILE) or E(VSPHERE_THUMBPRINT), if one of them is set.
"""

    # For modules and plugins about instances, which only some clouds have yet.
    INSTANCES = r"""
# Ansible takes no fragment without options.
options: {}
requirements:
  - boto3 (for clusters on AWS)
notes:
  - AWS is asked with the credentials of its SDK, which are the environment variables E(AWS_PROFILE),
    E(AWS_ACCESS_KEY_ID), E(AWS_SECRET_ACCESS_KEY) and so on, or the files and roles of the SDK.
"""
