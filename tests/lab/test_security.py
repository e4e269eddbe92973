# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to a cluster: keys, ports, tokens, and Ansible's output, as docs/bare-metal.md promises."""

from __future__ import annotations

import base64
import functools
import json
import pathlib
import re
import ssl
import stat
from collections.abc import Callable, Iterable

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.lab import cluster, hosts, https_client, network, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.turn(3)

CONTROL_PLANE, WORKER = "test1", "test2"
KEY = "PRIVATE KEY-----"
KUBECTL = "/usr/local/bin/kubectl"
kubectl = functools.partial(running.kubectl, host=CONTROL_PLANE)
kubectl_json = functools.partial(running.kubectl_json, host=CONTROL_PLANE)

# TCP ports that others can reach, besides SSH's -> role. docs/bare-metal.md has the same table.
PORTS = {
    CONTROL_PLANE: {443, 2380, 2381, 4001, 4002, 8081, 10250, 10256},
    WORKER: {8081, 10250, 10256},
}
# Plain HTTP, which says "healthy" and nothing else: flannel's and kube-proxy's.
HEALTH_PORTS = {8081, 10256}
# Where the keys of a node are, and those of its SSH server.
KEYS = re.compile(
    r"/srv/kubernetes/.*\.key|/srv/kubernetes/kubelet-server\.key|/etc/kubernetes/pki/.*\.key"
    r"|/var/lib/(kubelet|kube-proxy|kube-scheduler|kube-controller-manager|kubectl)/kubeconfig"
    r"|/etc/ssh/ssh_host_[a-z0-9]+_key"
)
# All directories with text files of a host, except files of images.
LOOKED_AT = ("/etc", "/srv", "/var", "/root", "/home", "/opt", "/mnt", "/run", "/tmp")


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Where the user's kubeconfig goes."""
    return tmp_path_factory.mktemp("user") / "kubeconfig"


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site], kubeconfig: pathlib.Path) -> Site:
    """A control plane and a worker."""
    made = new_site()
    made.variables["kops_kubeconfig"] = str(kubeconfig)
    return made


@pytest.fixture(scope="module")
def created(site: Site) -> running.Run:
    """The run that made the cluster; Ansible was asked for all that it knows."""
    run = site.create("-vvv", "--diff")
    assert run.code == 0, run.output
    return run


@pytest.fixture(scope="module")
def identities(created: running.Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, https_client.Identity]:
    """Certificates to come with: etcd's own client, the worker's kubelet, the administrator."""
    directory = tmp_path_factory.mktemp("identities")

    def kept(name: str, certificate: str, key: str) -> https_client.Identity:
        identity = https_client.Identity(directory / f"{name}.crt", directory / f"{name}.key")
        identity.certificate.write_text(certificate)
        identity.key.write_text(key)
        return identity

    def of_kubeconfig(name: str, text: str) -> https_client.Identity:
        user = yaml.safe_load(text)["users"][0]["user"]
        parts = (base64.b64decode(user[f"client-{part}-data"]).decode() for part in ("certificate", "key"))
        return kept(name, *parts)

    etcd = "/srv/kubernetes/kube-apiserver/etcd-client"
    return {
        "etcd": kept("etcd", *(hosts.within(CONTROL_PLANE, "cat", f"{etcd}.{end}") for end in ("crt", "key"))),
        "kubelet": of_kubeconfig("kubelet", hosts.within(WORKER, "cat", "/var/lib/kubelet/kubeconfig")),
        "admin": of_kubeconfig("admin", hosts.within(CONTROL_PLANE, "cat", running.ADMIN_KUBECONFIG)),
    }


# -- what can be reached --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", [CONTROL_PLANE, WORKER])
def test_only_known_ports_are_open_to_others(created: running.Run, host: str) -> None:
    lines = hosts.within(host, "ss", "--tcp", "--listening", "--numeric", "--no-header").splitlines()
    local = [line.split()[3].rpartition(":") for line in lines]
    reachable = {int(port) for address, _colon, port in local if not address.strip("[]").startswith(("127.", "::1"))}
    assert reachable == PORTS[host] | {22}


@pytest.mark.parametrize("path", ["/api", "/healthz", "/version", "/metrics", "/debug/pprof/", "/openapi/v2"])
def test_the_api_server_knows_no_anonymous_users(created: running.Run, path: str) -> None:
    assert https_client.ask(network.address(CONTROL_PLANE), 443, path)[0] == 401


@pytest.mark.parametrize("host", [CONTROL_PLANE, WORKER])
def test_kubelets_know_no_anonymous_users(created: running.Run, host: str) -> None:
    for path in ("/pods", "/metrics", "/configz", "/logs/", "/exec/kube-system/x/x"):
        assert https_client.ask(network.address(host), 10250, path)[0] == 401
    with pytest.raises(ConnectionRefusedError):
        https_client.ask(network.address(host), 10255, "/pods")


@pytest.mark.parametrize("port", [10257, 10259])
def test_controller_manager_and_scheduler_tell_others_nothing(created: running.Run, port: int) -> None:
    with pytest.raises(ConnectionRefusedError):
        https_client.ask(network.address(CONTROL_PLANE), port, "/metrics")
    # Nor to other processes of the host.
    for path in ("/metrics", "/configz", "/debug/pprof/"):
        assert status_within(CONTROL_PLANE, f"https://127.0.0.1:{port}{path}") in ("401", "403")


def status_within(host: str, url: str, *options: str) -> str:
    """The status by which a server answers a process of its own host."""
    words = ("curl", "--silent", "--insecure", "--output", "/dev/null", "--write-out", "%{http_code}", *options)
    return hosts.within(host, *words, url).strip()


def test_nobody_is_shown_profiles(created: running.Run, identities: dict[str, https_client.Identity]) -> None:
    """Not even to the administrator, who has access to everything else."""
    ask = functools.partial(https_client.ask, network.address(CONTROL_PLANE), 443, identity=identities["admin"])
    assert ask("/metrics")[0] == 200
    assert ask("/debug/pprof/")[0] == 404
    pem = "/run/admin.pem"
    admin = identities["admin"].certificate.read_text() + identities["admin"].key.read_text()
    hosts.within(CONTROL_PLANE, "sh", "-c", f"umask 077; cat >{pem}", stdin=admin)
    try:
        for own in ("https://127.0.0.1:10257", "https://127.0.0.1:10259"):
            assert status_within(CONTROL_PLANE, f"{own}/metrics", "--cert", pem) == "200"
            assert status_within(CONTROL_PLANE, f"{own}/debug/pprof/", "--cert", pem) == "404"
    finally:
        hosts.within(CONTROL_PLANE, "rm", pem)
    for host in (CONTROL_PLANE, WORKER):
        assert "kubelet_" in kubectl("get", "--raw", f"/api/v1/nodes/{host}/proxy/metrics")
        with pytest.raises(RuntimeError, match=r"NotFound|MethodNotAllowed"):
            kubectl("get", "--raw", f"/api/v1/nodes/{host}/proxy/debug/pprof/")


@pytest.mark.parametrize("port", [4001, 4002])
def test_etcd_serves_nobody_but_the_api_server(
    created: running.Run, identities: dict[str, https_client.Identity], port: int
) -> None:
    address = network.address(CONTROL_PLANE)
    status, text = https_client.ask(address, port, "/health", identities["etcd"])
    assert (status, json.loads(text)["health"]) == (200, "true")
    # The kubelet's certificate is of the same cluster, but of another authority; so is the administrator's.
    for identity in (None, identities["kubelet"], identities["admin"]):
        with pytest.raises(ssl.SSLError, match="ALERT"):
            https_client.ask(address, port, "/health", identity)


@pytest.mark.parametrize("port", [2380, 2381])
def test_only_members_of_etcd_speak_to_members(
    created: running.Run, identities: dict[str, https_client.Identity], port: int
) -> None:
    for identity in (None, *identities.values()):
        with pytest.raises(ssl.SSLError, match="ALERT"):
            https_client.ask(network.address(CONTROL_PLANE), port, "/members", identity)


def test_versions_of_tls_before_1_2_are_refused(created: running.Run) -> None:
    endpoints = [(CONTROL_PLANE, port) for port in sorted(PORTS[CONTROL_PLANE] - HEALTH_PORTS)] + [(WORKER, 10250)]
    for host, port in endpoints:
        refused = functools.partial(https_client.refused_version, network.address(host), port)
        found = {version.name: refused(version) for version in (ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2)}
        assert found == {"TLSv1_1": True, "TLSv1_2": False}, f"{host}:{port}"


# -- authorization -------------------------------------------------------------------------------------------------


def test_a_kubelet_may_change_its_own_node_only(created: running.Run) -> None:
    path = "/run/kubeconfig-of-worker"
    own = hosts.within(WORKER, "cat", "/var/lib/kubelet/kubeconfig")
    hosts.within(CONTROL_PLANE, "sh", "-c", f"umask 077; cat >{path}", stdin=own)

    def as_kubelet(*arguments: str) -> str:
        words = (f"--kubeconfig={path}", "--server=https://127.0.0.1", *arguments)
        return hosts.within(CONTROL_PLANE, KUBECTL, *words)

    try:
        assert as_kubelet("annotate", "node", WORKER, "example.com/tried=yes").strip() == f"node/{WORKER} annotated"
        with pytest.raises(RuntimeError, match="(?i)forbidden"):
            as_kubelet("annotate", "node", CONTROL_PLANE, "example.com/tried=yes")
        with pytest.raises(RuntimeError, match="(?i)forbidden"):
            as_kubelet("label", "node", CONTROL_PLANE, "example.com/tried=yes")
        with pytest.raises(RuntimeError, match="(?i)forbidden"):
            as_kubelet("label", "node", WORKER, "node-role.kubernetes.io/control-plane=")
        with pytest.raises(RuntimeError, match="(?i)forbidden"):
            as_kubelet("get", "secrets", "--all-namespaces")
    finally:
        hosts.within(CONTROL_PLANE, "rm", "-f", path)
        kubectl("annotate", "node", WORKER, "example.com/tried-")


def test_tokens_of_service_accounts_end_and_open_nothing(created: running.Run) -> None:
    secrets = kubectl_json("get", "secrets", "--all-namespaces")["items"]
    assert [secret for secret in secrets if secret["type"] == "kubernetes.io/service-account-token"] == []
    token = kubectl("create", "token", "default").strip()
    header, payload, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert 0 < claims["exp"] - claims["iat"] <= 3607

    def status(given: str, path: str = "/api/v1/secrets") -> int:
        return https_client.ask(
            network.address(CONTROL_PLANE), 443, path, headers={"Authorization": f"Bearer {given}"}
        )[0]

    assert status(token, "/api") == 200
    assert status(token) == 403
    forged = {**claims, "sub": "system:serviceaccount:kube-system:generic-garbage-collector"}
    words = base64.urlsafe_b64encode(json.dumps(forged).encode()).decode().rstrip("=")
    assert status(f"{header}.{words}.{signature}") == 401


# -- files on the hosts ---------------------------------------------------------------------------------------------


def encodings(text: str, times: int = 2) -> set[str]:
    """The text itself, and how it looks in base64 in the middle of others, wherever it begins; and that in base64."""
    found = {text}
    for _time in range(times):
        found |= {_middle(each, shift) for each in found for shift in range(3)}
    return found


def _middle(text: str, shift: int) -> str:
    """The part of the text's base64 that does not depend on the bytes before and after it."""
    encoded = base64.b64encode((" " * shift + text).encode()).decode()
    return encoded[-(-shift * 8 // 6) : (shift + len(text)) * 8 // 6]


def test_encodings_are_found_wherever_they_begin() -> None:
    for before in range(4):
        whole = base64.b64encode(base64.b64encode(b"x" * before + KEY.encode() + b"yz")).decode()
        assert any(each in whole for each in encodings(KEY))


@pytest.fixture(scope="module")
def files_with_keys(created: running.Run) -> dict[str, list[str]]:
    """Files of each host that hold a private key in some form: "path mode owner"."""
    words = ("grep", "-rlIF", "--no-messages", "--exclude-dir=io.containerd.*", "--file=-", *LOOKED_AT)
    found = {}
    for host in (CONTROL_PLANE, WORKER):
        paths = hosts.within(host, *words, stdin="\n".join(sorted(encodings(KEY))), check=False).splitlines()
        found[host] = hosts.within(host, "stat", "-c", "%n %a %U:%G", *paths).splitlines() if paths else []
    return found


@pytest.mark.parametrize("host", [CONTROL_PLANE, WORKER])
def test_private_keys_are_where_they_belong_and_readable_by_root_only(
    files_with_keys: dict[str, list[str]], host: str
) -> None:
    found = {path: (int(mode, 8), owner) for path, mode, owner in map(str.split, files_with_keys[host])}
    assert "/var/lib/kubelet/kubeconfig" in found
    assert [path for path in found if not KEYS.fullmatch(path)] == []
    assert {path: rights for path, rights in found.items() if rights[0] & 0o077 or rights[1] != "root:root"} == {}


def test_a_worker_holds_no_key_of_an_authority(files_with_keys: dict[str, list[str]]) -> None:
    kept = {line.split()[0] for line in files_with_keys[WORKER] if not line.startswith("/etc/ssh/")}
    assert kept == {
        "/srv/kubernetes/kubelet-server.key",
        "/var/lib/kubelet/kubeconfig",
        "/var/lib/kube-proxy/kubeconfig",
    }


def test_modes_of_files(created: running.Run) -> None:
    words = ("find", "/srv/kubernetes", "/etc/kubernetes", "/var/lib/kops", "/var/lib/kubectl", "/mnt/disks")
    modes = {}
    for host, present in ((CONTROL_PLANE, words), (WORKER, words[:4])):
        for line in hosts.within(host, *present, "-printf", "%m %y %U %p\\n").splitlines():
            mode, kind, owner, path = line.split(maxsplit=3)
            modes[host, path] = (kind, int(mode, 8), owner)
    files = {place: mode for place, (kind, mode, _owner) in modes.items() if kind == "f"}
    assert {place for place, (_kind, mode, _owner) in modes.items() if mode & 0o022} == set()
    assert {owner for _kind, _mode, owner in modes.values()} == {"0"}
    manifests = {mode for (_host, path), mode in files.items() if path.startswith("/etc/kubernetes/manifests/")}
    assert manifests == {0o600}
    data = [mode for (_host, path), (kind, mode, _owner) in modes.items() if re.fullmatch(r"/mnt/disks/[^/]+", path)]
    assert data == [0o700, 0o700]
    for host in (CONTROL_PLANE, WORKER):
        rights = int(hosts.within(host, "stat", "-c", "%a", "/var/lib/kubelet/kubelet.conf"), 8)
        assert rights == 0o600


def test_the_users_kubeconfig_is_the_users(created: running.Run, kubeconfig: pathlib.Path) -> None:
    assert stat.S_IMODE(kubeconfig.stat().st_mode) == 0o600
    assert "client-key-data" in kubeconfig.read_text()


# -- leaked output ---------------------------------------------------------------------------------------------------


def secrets_of(state_store: str, told_by: Iterable[str] = (CONTROL_PLANE, WORKER)) -> set[str]:
    """One identifying line of each private key: of CAs from the store, of nodes from the nodes."""
    store = pathlib.Path(state_store.removeprefix("file://"), cluster.NAME)
    keys = {
        base64.b64decode(key).decode()
        for path in store.rglob("keyset.yaml")
        for key in re.findall(r"privateMaterial: (\S+)", path.read_text())
    }
    assert keys
    for host in told_by:
        text = hosts.within(
            host, "sh", "-c", "cat $(find /srv/kubernetes /etc/kubernetes/pki -name '*.key')", check=False
        )
        keys |= set(re.findall(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END", text))
        config = yaml.safe_load(hosts.within(host, "cat", "/var/lib/kubelet/kubeconfig"))
        keys.add(base64.b64decode(config["users"][0]["user"]["client-key-data"]).decode())
    return {key.splitlines()[2] for key in keys}


def told(text: str, secrets: Iterable[str]) -> list[str]:
    """The secrets that a text contains, in any of their encodings."""
    return sorted({secret for secret in secrets for each in encodings(secret) if each in text})


def test_ansible_tells_no_secret(created: running.Run, state_store: str) -> None:
    """Neither on the screen nor in results, which others may keep, even if it is asked for all that it knows."""
    secrets = {KEY, *secrets_of(state_store)}
    assert len(secrets) > 10
    assert told(created.output, secrets) == []
    assert told(json.dumps(created.tasks), secrets) == []
    assert "eyJhbGciOi" not in created.output


@pytest.mark.parametrize("host", [CONTROL_PLANE, WORKER])
def test_journals_and_command_lines_tell_no_secret(created: running.Run, state_store: str, host: str) -> None:
    secrets = {KEY, *secrets_of(state_store)}
    journal = hosts.within(host, "journalctl", "--no-pager", "--output=short", "--all")
    # That Ansible's modules write there what they were called with makes this worth looking at.
    assert "node_converge" in journal
    assert "Invoked with config=" in journal
    assert told(journal, secrets) == []
    processes = hosts.within(
        host, "sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'"
    )
    assert "/usr/local/bin/kubelet" in processes
    assert told(processes, secrets) == []
