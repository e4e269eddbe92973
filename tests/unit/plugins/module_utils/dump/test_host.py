# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host's own files and commands: only what is named is read, within its time and size."""

from __future__ import annotations

import io
import os
import pathlib
import tarfile
import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.dump import host
from ansible_collections.kubeops.kops.plugins.module_utils.dump.archive import Archive, copy_end
from ansible_collections.kubeops.kops.plugins.module_utils.dump.host import HostDump, HostLimits
from ansible_collections.kubeops.kops.plugins.module_utils.dump.redaction import Redaction

SECRET = "correcthorsebatterystaple"


def write(root: pathlib.Path, path: str, text: str = "a line\n") -> None:
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture()
def root(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The files of a host, and commands that are quick everywhere."""
    write(tmp_path, "/etc/hosts", "127.0.0.1 localhost\n")
    write(tmp_path, "/var/log/kube-apiserver.log", f"password={SECRET}\n" + "I1123 a line\n" * 1000)
    write(tmp_path, "/var/log/containers/x.log")
    write(tmp_path, "/var/log/kube-apiserver-audit.log", SECRET)
    write(tmp_path, "/var/log/auth.log", SECRET)
    write(tmp_path, "/var/log/pods/kube-system_etcd_1/etcd/0.log")
    write(tmp_path, "/var/log/pods/default_web_1/web/0.log")
    write(tmp_path, "/etc/containerd/config.toml", f'password = "{SECRET}"\nversion = 3\n')
    write(tmp_path, "/etc/kubernetes/manifests/etcd.manifest")
    for path in ("/etc/kubernetes/pki/ca.key", "/srv/kubernetes/ca.key", "/etc/environment", "/etc/shadow"):
        write(tmp_path, path, SECRET)
    write(tmp_path, "/var/lib/kubelet/kubeconfig", SECRET)
    os.symlink(tmp_path / "etc/shadow", tmp_path / "var/log/link.log")
    monkeypatch.setattr(
        host, "COMMANDS", {"echo.txt": "echo {lines}", "none.txt": "no-such-command", "bad.txt": "false"}
    )
    monkeypatch.setattr(HostDump, "_units", lambda self: [])
    return tmp_path


def collected(root: pathlib.Path, archive_limit: int = 0, **limits: object) -> tuple[Archive, dict[str, str]]:
    """The archive, and the content of its files."""
    stream = io.BytesIO()
    archive = Archive(stream, Redaction(), limit=archive_limit)
    HostDump(archive, HostLimits(**{"log_bytes": 1000, "seconds": 20, **limits}), str(root)).collect()
    archive.close({"missing": archive.missing})
    stream.seek(0)
    with tarfile.open(fileobj=stream, mode="r:gz") as tar:
        found = {member.name: (member, tar.extractfile(member)) for member in tar}
        assert {member.mode for member, _content in found.values()} == {0o600}
        return archive, {name: content.read().decode() for name, (_member, content) in found.items() if content}


def missing(archive: Archive) -> dict[str, str]:
    return {each["what"]: each["why"] for each in archive.missing}


def test_only_what_is_named_is_read(root: pathlib.Path) -> None:
    archive, files = collected(root)
    assert sorted(files) == [
        "echo.txt",
        "etc/containerd/config.toml",
        "etc/hosts",
        "etc/kubernetes/manifests/etcd.manifest",
        "index.json",
        "var/log/kube-apiserver.log",
        "var/log/pods/default_web_1/web/0.log",
        "var/log/pods/kube-system_etcd_1/etcd/0.log",
    ]
    assert SECRET not in "".join(files.values())
    assert archive.removed == {"password in a setting": 1}
    log = files["var/log/kube-apiserver.log"]
    assert log.startswith("(what is before this is left out)\nI1123")
    assert log.endswith("I1123 a line\n")
    assert len(log) <= 1000 + 40
    assert missing(archive) == {
        "none.txt": "there is no command no-such-command",
        "bad.txt": "exit code 1",
        "var/log/link.log": "it is a link",
    }


def test_logs_of_the_pods_of_some_namespaces(root: pathlib.Path) -> None:
    _archive, files = collected(root, namespaces=["kube-system"])
    assert [name for name in files if "/pods/" in name] == ["var/log/pods/kube-system_etcd_1/etcd/0.log"]


def test_no_more_time_than_it_has(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "COMMANDS", {"slow.txt": "sleep 30", "echo.txt": "echo"})
    started = time.monotonic()
    archive, files = collected(root, seconds=0.3)
    assert time.monotonic() - started < 5
    assert "etc/hosts" in files
    assert missing(archive)["slow.txt"] == "it took longer than 0 s"
    assert missing(archive)["echo.txt"] == "the time for this host is over (0.3 s)"


def test_no_more_than_may_be_collected(root: pathlib.Path) -> None:
    archive, files = collected(root, archive_limit=100)
    assert sum(len(text) for name, text in files.items() if name != "index.json") <= 100
    assert missing(archive)["var/log/kube-apiserver.log"] == "there is already as much as may be collected"


def test_of_a_log_its_end_is_taken() -> None:
    lines = b"".join(b"line %d\n" % number for number in range(100_000))
    target = io.BytesIO()
    assert copy_end(io.BytesIO(lines), target, 100)
    assert target.getvalue().endswith(lines[-80:])
    assert target.getvalue().splitlines()[1] in lines.splitlines()
    whole = io.BytesIO()
    assert not copy_end(io.BytesIO(lines), whole, len(lines))
    assert whole.getvalue() == lines
