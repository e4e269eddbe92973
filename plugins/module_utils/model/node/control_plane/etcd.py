# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""etcd as static pods, one for each etcd cluster that a control plane group has members of.

Plain etcd: a member is bound to its name and to the directory or volume of that name; nothing on the node decides.
Which member a node is, and whom it joins, are facts: ``ETCD_<CLUSTER>_MEMBER``, ``_INITIAL_CLUSTER`` and
``_INITIAL_STATE``. The last two count at the first start of a member only.
Ports, requests and authorities are kops'; pkg/model/components/etcdmanager.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....api.cluster import Cluster
from ....api.etcd import EtcdClusterSpec
from ....api.scalars import Duration
from ....completion.assets import remap_image
from ....node.etcd.places import HOSTS
from ....statestore.pki import Subject
from ...ports import ETCD_CLIENT, ETCD_PEER
from ..certificates import Certificate
from ..context import INTERNAL_IP, LOOPBACK, NodeContext
from ..draft import Draft
from ..files.assets import etcd_image
from ..pods import StaticPod, http_probe

# etcd cluster -> the port of the loopback interface that says without a certificate whether the member is healthy.
HEALTH_PORTS = {name: port + 10 for name, port in ETCD_PEER.items()}
_DISKS = "/mnt/disks"
# The API server has one certificate for all etcd clusters that it uses.
_SHARED_CLIENTS = ("main", "events", "leases")
_HEALTH = "/health?exclude=NOSPACE&serializable=true"


def clusters(context: NodeContext) -> list[EtcdClusterSpec]:
    """The etcd clusters that the group's nodes are members of."""
    name = context.group.metadata.name
    return [
        etcd
        for etcd in context.cluster.spec.etcd_clusters
        if any(member.instance_group == name for member in etcd.etcd_members)
    ]


def cluster_host(context: NodeContext, etcd: str) -> str:
    """The name by which API servers elsewhere reach an etcd cluster."""
    return host_of_cluster(context.name, etcd)


def host_of_cluster(name: str, etcd: str) -> str:
    """The same. name: of the Kubernetes cluster."""
    return f"{etcd}.etcd.internal.{name}"


def member_name(context: NodeContext, etcd: str, member: str) -> str:
    """What a member is called in its etcd cluster.

    In clouds as kops' etcd-manager calls it (cmd/etcd-manager and pkg/volumes), so that each can go on with the other's
    data, and both can be members of one etcd cluster.
    """
    return member if context.on_metal else member_name_in_cloud(etcd, member)


def member_name_in_cloud(etcd: str, member: str) -> str:
    """The same, of members that volumes of a cloud make."""
    return f"etcd-{member}" if etcd == "main" else f"etcd-{etcd}-{member}"


def member_host(context: NodeContext, etcd: str, member: str) -> str:
    """The host name of a member of an etcd cluster; in clouds etcd-manager's."""
    if context.on_metal:
        return f"{member}.{cluster_host(context, etcd)}"
    return f"{member_name(context, etcd, member)}.internal.{context.name}"


def control_directories(context: NodeContext) -> dict[str, str]:
    """Etcd cluster -> URL of the files that say what has happened to it, beside its backups, as etcd-manager has them.

    Only for instances that write such files.
    """
    if not finds_members(context):
        return {}
    return {str(etcd.name): f"{store}/control" for etcd in clusters(context) if (store := backup_store(etcd))}


def backup_store(etcd: EtcdClusterSpec) -> str:
    """URL of the directory of an etcd cluster's backups, "" if there is none."""
    return (etcd.backups.backup_store or "").rstrip("/") if etcd.backups else ""


def restore_control(cluster: Cluster) -> str:
    """URL of the directory in which restores of all etcd clusters are ordered; "" without a store of backups."""
    stores = {str(etcd.name): backup_store(etcd) for etcd in cluster.spec.etcd_clusters}
    first = min(stores, key=lambda name: (name != "main", name), default="")
    return f"{stores[first]}/control" if stores.get(first) else ""


def advertised_host(context: NodeContext, etcd: str) -> str:
    """Where a node's member is for the others: its name where DNS knows it, elsewhere the node's address.

    Not a name in hosts files: a pod sees these as they were when it started, and members come and go.
    """
    return INTERNAL_IP if context.on_metal else member_host(context, etcd, fact(etcd, "MEMBER"))


def finds_members(context: NodeContext) -> bool:
    """Whether nodes find out themselves where the members are: in clouds whose instances attach their volumes."""
    return context.cloud.etcd_on_disks


def peer_url(etcd: str, host: str) -> str:
    """Where the member on a host listens to the others; with their names, what the initial cluster consists of."""
    return f"https://{host}:{ETCD_PEER[etcd]}"


def fact(etcd: str, what: str) -> str:
    """The marker of a fact of a node's member ("MEMBER", "INITIAL_CLUSTER", "INITIAL_STATE", "DEVICE")."""
    return f"@@ETCD_{etcd.upper()}_{what}@@"


def log_file(etcd: str) -> str:
    """The log of a cluster's member on its node."""
    return f"/var/log/{'etcd' if etcd == 'main' else f'etcd-{etcd}'}.log"


def clients_authority(etcd: str) -> str:
    """The keyset that signs the certificates of an etcd cluster's servers and clients."""
    return "etcd-clients-ca" if etcd in _SHARED_CLIENTS else f"etcd-clients-ca-{etcd}"


def volume(context: NodeContext, etcd: str) -> str:
    """The directory of a member's data: its own disk in a cloud, a directory of its name on bare metal."""
    return f"{_DISKS}/{context.name}--{etcd}--{fact(etcd, 'MEMBER')}"


def build(context: NodeContext, draft: Draft) -> None:
    """Pod, certificates and volume of each member."""
    for etcd in clusters(context):
        name = str(etcd.name)
        _build_volume(context, draft, name)
        _build_certificates(context, draft, name)
        draft.log_file(log_file(name))
        draft.static_pod(pod(context, etcd))


def _pki(etcd: str) -> str:
    return f"/etc/kubernetes/pki/etcd-{etcd}"


def _build_volume(context: NodeContext, draft: Draft, etcd: str) -> None:
    path = volume(context, etcd)
    if context.on_metal:
        draft.directory(path, "0700")
    else:
        draft.add("volumes", {"name": f"etcd-{etcd}", "device": fact(etcd, "DEVICE"), "mount": path})


def _build_certificates(context: NodeContext, draft: Draft, etcd: str) -> None:
    directory = _pki(etcd)
    draft.directory(directory, "0700")
    signers = {"clients": clients_authority(etcd), "peers": f"etcd-peers-ca-{etcd}"}
    for kind, signer in signers.items():
        draft.authority(f"{directory}/{kind}-ca.crt", signer)
    host = member_host(context, etcd, fact(etcd, "MEMBER"))
    # Cilium's agents find its etcd cluster by the name of the API server, on all nodes.
    found_by = [context.api_internal_name] if etcd == "cilium" else []
    names = {
        "server": (host, cluster_host(context, etcd), *found_by, "localhost", LOOPBACK, INTERNAL_IP),
        # Members know each other by address, too: a certificate without the caller's is refused.
        "peer": (host, INTERNAL_IP),
    }
    for kind, signer in (("server", signers["clients"]), ("peer", signers["peers"])):
        draft.certificate(
            Certificate(
                f"etcd-{etcd}-{kind}",
                Subject(f"etcd-{etcd}"),
                # A member calls its own server, and its peers, by the certificate that it serves with.
                type="clientServer",
                signer=signer,
                alternate_names=names[kind],
                directory=directory,
                file_name=kind,
            )
        )


def _options(context: NodeContext, etcd: EtcdClusterSpec) -> Iterator[tuple[str, str]]:
    name, pki = str(etcd.name), _pki(str(etcd.name))
    anywhere = "[::]" if context.is_ipv6_only else "0.0.0.0"  # noqa: S104 - TLS with client certificates
    host = advertised_host(context, name)
    manager = etcd.manager
    metrics = manager.listen_metrics_urls if manager else []
    yield "name", member_name(context, name, fact(name, "MEMBER"))
    yield "data-dir", f"{volume(context, name)}/data"
    yield "initial-cluster", fact(name, "INITIAL_CLUSTER")
    yield "initial-cluster-state", fact(name, "INITIAL_STATE")
    yield "initial-cluster-token", f"{context.name}-{name}"
    yield "initial-advertise-peer-urls", peer_url(name, host)
    yield "listen-peer-urls", f"https://{anywhere}:{ETCD_PEER[name]}"
    yield "advertise-client-urls", f"https://{host}:{ETCD_CLIENT[name]}"
    yield "listen-client-urls", f"https://{anywhere}:{ETCD_CLIENT[name]}"
    if manager and manager.listen_client_http_urls:
        yield "listen-client-http-urls", ",".join(manager.listen_client_http_urls)
    yield "listen-metrics-urls", ",".join([f"http://{LOOPBACK}:{HEALTH_PORTS[name]}", *metrics])
    for option, kind, authority in (("", "server", "clients"), ("peer-", "peer", "peers")):
        yield f"{option}client-cert-auth", "true"
        yield f"{option}cert-file", f"{pki}/{kind}.crt"
        yield f"{option}key-file", f"{pki}/{kind}.key"
        yield f"{option}trusted-ca-file", f"{pki}/{authority}-ca.crt"
    if etcd.heartbeat_interval is not None:
        yield "heartbeat-interval", _milliseconds(etcd.heartbeat_interval)
    if etcd.leader_election_timeout is not None:
        yield "election-timeout", _milliseconds(etcd.leader_election_timeout)
    yield "logger", "zap"
    yield "log-outputs", f"stderr,{log_file(name)}"


def _milliseconds(duration: Duration) -> str:
    return str(int(Duration(duration).seconds * 1000))


def pod(context: NodeContext, etcd: EtcdClusterSpec) -> dict[str, Any]:
    """The manifest."""
    name = str(etcd.name)
    more: dict[str, Any] = {
        "startupProbe": http_probe(
            HEALTH_PORTS[name], _HEALTH, failureThreshold=60, periodSeconds=5, timeoutSeconds=15
        ),
        "livenessProbe": http_probe(
            HEALTH_PORTS[name], _HEALTH, failureThreshold=8, periodSeconds=10, timeoutSeconds=15
        ),
    }
    variables = etcd.manager.env if etcd.manager else []
    environment = [
        {"name": str(variable.name), "value": variable.value or ""}
        for variable in variables
        # What tells kops' manager of etcd something says nothing to etcd.
        if str(variable.name).startswith("ETCD_") and not str(variable.name).startswith("ETCD_MANAGER_")
    ]
    made = StaticPod(
        f"etcd-{name}",
        remap_image(etcd_image(etcd), context.cluster.spec.assets),
        ["etcd"],
        sorted(f"--{option}={value}" for option, value in _options(context, etcd)),
        labels={"k8s-app": f"etcd-{name}"},
        requests={"cpu": etcd.cpu_request or "200m", "memory": etcd.memory_request or "100Mi"},
        more={**more, "env": environment} if environment else more,
    )
    made.mount("data", volume(context, name), writable=True, kind="Directory")
    made.mount("pki", _pki(name))
    made.mount("logfile", log_file(name), writable=True)
    if finds_members(context):
        # The kubelet's own file of hosts stays as it was when the pod started.
        made.mount("hosts", HOSTS, inside="/etc/hosts", kind="File")
    return made.manifest(context)
