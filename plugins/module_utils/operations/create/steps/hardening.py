# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hardened cluster: what the CIS benchmark of Kubernetes asks for and kops does not set by default.

Everything is written as fields of kops, so that the manifest says all of it and each part can be changed later.
"""

from __future__ import annotations

from ....api.common import FileAssetSpec
from ....api.kube_apiserver import KubeAPIServerConfig
from ....api.kube_controller_manager import KubeControllerManagerConfig
from ....api.kubelet import KubeletConfigSpec
from ..draft import Draft

# The API server mounts this directory.
_DIRECTORY = "/srv/kubernetes/kube-apiserver"
_AUDIT_POLICY = f"{_DIRECTORY}/audit-policy.yaml"
_ADMISSION = f"{_DIRECTORY}/admission.yaml"
# Days, files, and megabytes of a file: as the benchmark recommends.
_AUDIT_AGE, _AUDIT_FILES, _AUDIT_SIZE = 30, 10, 100
# Kubernetes itself keeps 12500 ended pods.
_ENDED_PODS = 1000
_EVENTS_PER_SECOND = 50

# The first rule that matches counts. Contents of secrets must not be in the log, and reading tells little.
_AUDIT_RULES = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages:
- RequestReceived
rules:
- level: None
  nonResourceURLs:
  - /healthz*
  - /livez*
  - /readyz*
  - /version
- level: None
  resources:
  - group: coordination.k8s.io
    resources:
    - leases
  - group: ""
    resources:
    - events
- level: Metadata
  resources:
  - group: ""
    resources:
    - secrets
    - configmaps
    - serviceaccounts/token
  - group: authentication.k8s.io
- level: Metadata
  verbs:
  - get
  - list
  - watch
- level: Request
"""
# Pods of users may not reach for the host; those of the system have to.
_ADMISSION_DEFAULTS = """\
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults:
      enforce: baseline
      enforce-version: latest
      audit: restricted
      audit-version: latest
      warn: restricted
      warn-version: latest
    exemptions:
      namespaces:
      - kube-system
      - kube-flannel
"""


def add_hardening(draft: Draft) -> None:
    """Write audit log, Pod Security defaults and limits, if the options ask for a hardened cluster."""
    if not draft.options.hardened:
        return
    spec = draft.cluster.spec
    server = spec.kube_api_server = spec.kube_api_server or KubeAPIServerConfig()
    server.audit_policy_file, server.audit_log_path = _AUDIT_POLICY, "/var/log/kube-audit/audit.log"
    server.audit_log_max_age, server.audit_log_max_backups = _AUDIT_AGE, _AUDIT_FILES
    server.audit_log_max_size = _AUDIT_SIZE
    server.admission_control_config_file = _ADMISSION
    manager = spec.kube_controller_manager = spec.kube_controller_manager or KubeControllerManagerConfig()
    manager.terminated_pod_gc_threshold = _ENDED_PODS
    kubelet = spec.kubelet = spec.kubelet or KubeletConfigSpec()
    kubelet.seccomp_default = True
    kubelet.event_qps = _EVENTS_PER_SECOND
    spec.file_assets += [
        _file("audit-policy", _AUDIT_POLICY, _AUDIT_RULES),
        _file("admission", _ADMISSION, _ADMISSION_DEFAULTS),
    ]


def _file(name: str, path: str, content: str) -> FileAssetSpec:
    return FileAssetSpec(name=name, path=path, roles=["ControlPlane", "APIServer"], content=content, mode="0600")
