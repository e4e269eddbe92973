# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster on AWS that runs, as far as a controller sees it: its instances are moto's, its API server is a fake.

Its nodes follow its instances whenever somebody asks for nodes, so that it may be another process which starts and ends
instances.
"""

from __future__ import annotations

import base64
import datetime
import json
import pathlib
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.machines import machines_by_group
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.provider import AWSProvider
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.rollouts import WORKLOADS
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.old_node_files import hashes_in
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import KUBERNETES_CA, Keyset
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.support import fake_kubernetes
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes

SYSTEM = "kube-system"
Kind = TypeVar("Kind", bound="RunningCluster")
READY = {"conditions": [{"type": "Ready", "status": "True"}]}


def is_control_plane(group: str) -> bool:
    """Whether an instance group is one of control planes, by the names that create_cluster gives."""
    return group.startswith("control-plane-")


def add_node(fake: FakeKubernetes, name: str, group: str) -> None:
    """A node that is ready, with what runs on each control plane if it is one."""
    labels = {"kops.k8s.io/instancegroup": group}
    if is_control_plane(group):
        labels["node-role.kubernetes.io/control-plane"] = ""
        for app in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
            pod = {"metadata": {"labels": {"k8s-app": app}}, "spec": {"nodeName": name}, "status": {"phase": "Running"}}
            fake.add("Pod", f"{app}-{name}", SYSTEM, **pod)
    fake.add("Node", name, metadata={"labels": labels}, status={"conditions": [{"type": "Ready", "status": "True"}]})


def fail_node(fake: FakeKubernetes, name: str, seconds: int = 14 * 60) -> None:
    """The kubelet of a node has not answered for so long."""
    since = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds)
    fake.objects[f"/api/v1/nodes/{name}"]["status"]["conditions"] = [
        {
            "type": "Ready",
            "status": "Unknown",
            "lastTransitionTime": since.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "message": "Kubelet stopped posting node status.",
        }
    ]


def add_servers(fake: FakeKubernetes, name: str) -> None:
    """The static pods of a control plane that rolling updates wait for."""
    for app in ("kube-apiserver", "etcd-main", "etcd-events"):
        labels = {"labels": {"k8s-app": app}, "annotations": {"kubernetes.io/config.mirror": ""}}
        status = {"phase": "Running", **READY}
        fake.add("Pod", f"{app}-{name}", SYSTEM, metadata=labels, spec={"nodeName": name}, status=status)


def records_of(store: ClusterStore) -> dict[str, str]:
    """What control planes write down when they have applied the addons of the store."""
    stored = json.loads(store.path.join("addons/objects.json").read())
    return {
        f"addons.k8s.io/{addon['name']}": json.dumps({"id": addon["id"], "manifestHash": addon["version"]})
        for addon in stored["addons"]
    }


def add_workloads(fake: FakeKubernetes, store: ClusterStore) -> None:
    """What those addons have to have, as far as it is not there. None of it wants a pod."""
    stored = json.loads(store.path.join("addons/objects.json").read())
    for obj in (each for addon in stored["addons"] for each in addon["objects"] if each["kind"] in WORKLOADS):
        if fake.path(obj) not in fake.objects:
            fake.add(
                obj["kind"], obj["metadata"]["name"], obj["metadata"]["namespace"], "apps/v1", spec={"replicas": 0}
            )


class RunningCluster:
    """store, name: of the cluster, which may be made later, deleted, and made again.

    directory: for files of its own. late: instances that are no nodes yet -> at how many more looks at the nodes they
    are still missing.
    """

    def __init__(
        self, fake: FakeKubernetes, tls: ssl.SSLContext, store: str, name: str, directory: pathlib.Path
    ) -> None:
        self.fake, self.store_url, self.name = fake, store, name
        self.late: dict[str, int] = {}
        self.cloud = AWSProvider().open("us-east-1", name)
        self.directory = directory
        self._authority = ""
        self._tls: ssl.SSLContext | None = None
        fake.add("Namespace", SYSTEM)
        # Nobody has requested an API that is going to be removed.
        fake.raw["/metrics"] = b"process_start_time_seconds 1.7e+09\n"
        answer = fake.answer

        def asked(method: str, target: str, *more: Any) -> tuple[int, Any]:
            if (method, target.partition("?")[0]) == ("GET", "/api/v1/nodes"):
                with fake.lock:
                    self.join()
            return answer(method, target, *more)

        fake.answer = asked
        tls.sni_callback = self._shake_hands

    @property
    def store(self) -> ClusterStore:
        return ClusterStore.open(self.store_url, self.name)

    def instances(self) -> dict[str, str]:
        """Instance -> its group."""
        return {each.name: name for name, group in machines_by_group(self.cloud).items() for each in group}

    def of_group(self, group: str) -> list[str]:
        """The instances of a group."""
        return [name for name, its_group in self.instances().items() if its_group == group]

    def nodes(self) -> list[str]:
        return [path.rpartition("/")[2] for path in self.fake.objects if path.startswith("/api/v1/nodes/")]

    def join(self) -> None:
        """Instances are nodes, with what runs on control planes; what is gone is forgotten. Addons are applied."""
        present = self.instances()
        for path in list(self.fake.objects):
            name = path.rpartition("/")[2]
            if "/pods/" in path and not name.endswith(tuple(present)):
                del self.fake.objects[path]
        for name in self.nodes():
            if name not in present:
                # The cloud controller manager does so.
                del self.fake.objects[f"/api/v1/nodes/{name}"]
        for name, group in present.items():
            if f"/api/v1/nodes/{name}" not in self.fake.objects and not self._is_late(name):
                self._become_node(name, group)
        self.fake.objects[f"/api/v1/namespaces/{SYSTEM}"]["metadata"]["annotations"] = records_of(self.store)
        add_workloads(self.fake, self.store)

    def _is_late(self, name: str) -> bool:
        looks = self.late.pop(name, 0)
        if looks:
            self.late[name] = looks - 1
        return looks > 0

    def _become_node(self, name: str, group: str) -> None:
        add_node(self.fake, name, group)
        node = self.fake.objects[f"/api/v1/nodes/{name}"]
        node["spec"] = {}
        node["status"]["nodeInfo"] = {"kubeletVersion": f"v{self.version_for(group)}"}
        if is_control_plane(group):
            add_servers(self.fake, name)
            self._serve_anew(self.store.keysets.get(KUBERNETES_CA))

    def forget(self, name: str, looks: int) -> None:
        """An instance is no node, until the nodes were looked at so often."""
        self.fake.objects.pop(f"/api/v1/nodes/{name}", None)
        self.late[name] = looks

    def version_for(self, group: str) -> str:
        """The version that an instance gets that a group starts now."""
        name = f"{group}.masters.{self.name}" if is_control_plane(group) else f"{group}.{self.name}"
        found = self.cloud.client("ec2").describe_launch_template_versions(
            LaunchTemplateName=name, Versions=["$Default"]
        )
        data = found["LaunchTemplateVersions"][0]["LaunchTemplateData"]["UserData"]
        wanted = hashes_in(base64.b64decode(data).decode())
        for file in self.store.path.join("igconfig").list_tree():
            if re.search(r"nodeconfig/(\w+)\.json", file.name) and pathlib.PurePath(file.name).stem in wanted:
                return str(json.loads(file.path.read())["kubernetesVersion"])
        raise AssertionError(f"{name} names no NodeConfig")

    # -- its certificate ----------------------------------------------------------------------------------------------

    def _shake_hands(self, connection: Any, _name: str | None, _context: ssl.SSLContext) -> None:
        """Present the certificate that the newest control plane was started with; none without a cluster."""
        try:
            keyset = self.store.keysets.get(KUBERNETES_CA)
        except KopsError:
            return
        with self.fake.lock:
            if self._authority not in {item.certificate for item in keyset.items.values()}:
                # The cluster is another one of the same name.
                self._serve_anew(keyset)
            connection.context = self._tls

    def _serve_anew(self, keyset: Keyset) -> None:
        signer = keyset.signer()
        request = pki.CertificateRequest(
            "server", pki.Subject("apiserver"), alternate_names=(f"api.internal.{self.name}",)
        )
        pair = pki.issue(request, signer)
        file = self.directory / "server.pem"
        file.write_text(pair.certificate + pair.private_key)
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(file)
        self._authority = keyset.primary.certificate
        # The controller manager gives the CAs to all namespaces.
        for namespace in (SYSTEM, "default"):
            self.fake.add("ConfigMap", "kube-root-ca.crt", namespace, data={"ca.crt": keyset.certificate_bundle()})


@contextmanager
def running_cluster(kind: Callable[..., Kind], store: str, name: str, directory: pathlib.Path) -> Iterator[Kind]:
    """The API server of a cluster on loopback, until the end of the block. kind: RunningCluster, or a class of it."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with fake_kubernetes.serving(tls) as fake:
        yield kind(fake, tls, store, name, directory)


def settings(directory: pathlib.Path, fake: FakeKubernetes, **more: str) -> pathlib.Path:
    """An inventory with what a user of this cluster sets once: where its API is, and that nothing is waited for.

    more: other variables.
    """
    path = directory / "settings.yml"
    variables = {
        "kops_api_server": fake.url,
        "kops_post_drain_delay": 0,
        "kops_repair_max_unhealthy": "100%",
        "kops_validate_count": 1,
        "kops_validate_interval": 1,
        **more,
    }
    path.write_text(json.dumps({"all": {"vars": variables, "hosts": {"localhost": {"ansible_connection": "local"}}}}))
    return path
