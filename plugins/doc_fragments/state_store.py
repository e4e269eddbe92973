# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of where clusters are kept."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that use a state store."""

    DOCUMENTATION = r"""
options:
  state_store:
    description:
      - Address of the store that holds the configuration, keys and secrets of clusters, for example C(s3://my-bucket),
        C(s3://my-bucket/prefix), C(gs://my-bucket), C(swift://my-container) or C(file:///srv/kops).
      - Taken from the environment variable E(KOPS_STATE_STORE) if it is not given.
      - S3 uses the credentials of the AWS SDK. A compatible store (C(s3://), C(do://), C(hos://), C(linode://), C(scw://))
        is set with the environment variables E(S3_ENDPOINT), E(S3_REGION), E(S3_ACCESS_KEY_ID) and
        E(S3_SECRET_ACCESS_KEY).
      - Google Cloud Storage (C(gs://)) uses Google's application default credentials, which are the file that
        E(GOOGLE_APPLICATION_CREDENTIALS) names, those of C(gcloud auth application-default login), or those of the
        machine.
      - OpenStack's object store (C(swift://)) uses the login of openstacksdk, which is the cloud of clouds.yaml that
        E(OS_CLOUD) names, or the environment variables E(OS_AUTH_URL), E(OS_USERNAME), E(OS_PASSWORD) and so on.
    type: str
requirements:
  - PyYAML
  - boto3 (for state stores on S3)
  - google-auth and requests (for state stores in Google Cloud Storage)
  - openstacksdk (for state stores in OpenStack's object store)
attributes:
  action_group:
    description: A task or play can set O(state_store) and C(cluster_name) once, for all modules of the group, in
      C(module_defaults) under C(group/kubeops.kops.kops).
    support: full
    membership:
      - kubeops.kops.kops
notes:
  - An empty text counts as an option that is not given.
  - The module runs where the state store can be reached, usually on C(localhost).
"""

    # For plugins, which take the environment variable by themselves.
    PLUGIN = r"""
options:
  state_store:
    description:
      - Address of the store that holds the configuration, keys and secrets of clusters, for example C(s3://my-bucket),
        C(s3://my-bucket/prefix), C(gs://my-bucket), C(swift://my-container) or C(file:///srv/kops).
      - S3 uses the credentials of the AWS SDK. A compatible store (C(s3://), C(do://), C(hos://), C(linode://), C(scw://))
        is set with the environment variables E(S3_ENDPOINT), E(S3_REGION), E(S3_ACCESS_KEY_ID) and
        E(S3_SECRET_ACCESS_KEY).
      - Google Cloud Storage (C(gs://)) uses Google's application default credentials, which are the file that
        E(GOOGLE_APPLICATION_CREDENTIALS) names, those of C(gcloud auth application-default login), or those of the
        machine.
      - OpenStack's object store (C(swift://)) uses the login of openstacksdk, which is the cloud of clouds.yaml that
        E(OS_CLOUD) names, or the environment variables E(OS_AUTH_URL), E(OS_USERNAME), E(OS_PASSWORD) and so on.
    type: str
    required: true
    env:
      - name: KOPS_STATE_STORE
requirements:
  - PyYAML
  - boto3 (for state stores on S3)
  - google-auth and requests (for state stores in Google Cloud Storage)
  - openstacksdk (for state stores in OpenStack's object store)
"""
