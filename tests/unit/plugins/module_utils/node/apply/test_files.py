# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files, directories, links: whole or not at all; what was there before comes back; secrets are not shown."""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Difference
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.blocks import Block
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node, changed


def mode(node: Node, path: str) -> str:
    return oct(stat.S_IMODE(node.file(path).lstat().st_mode))


def test_files_directories_and_links(node: Node) -> None:
    parts: dict[str, Any] = {
        "directories": [{"path": "/srv/a/b", "mode": "0700"}],
        "links": [{"path": "/srv/link", "target": "a/b"}],
        "files": [{"path": "/srv/c/file", "content": "text\n", "mode": "0640"}],
    }
    assert changed(node.converge(**parts)) == ["directory:/srv/a/b", "link:/srv/link", "file:/srv/c/file"]
    assert (mode(node, "/srv/a/b"), mode(node, "/srv/a"), mode(node, "/srv/c/file")) == ("0o700", "0o755", "0o640")
    assert os.readlink(node.file("/srv/link")) == "a/b"
    assert not node.converge(**parts).changed


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_text("other"),
        lambda path: path.chmod(0o666),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.symlink_to("/etc/hosts")),
    ],
)
def test_what_others_changed_is_made_good(node: Node, spoil: Any) -> None:
    files = [{"path": "/etc/app.conf", "content": "text\n"}]
    node.converge(files=files)
    spoil(node.file("/etc/app.conf"))
    assert changed(node.converge(files=files)) == ["file:/etc/app.conf"]
    assert node.file("/etc/app.conf").read_text() == "text\n"
    assert not node.file("/etc/app.conf").is_symlink()
    assert mode(node, "/etc/app.conf") == "0o644"


def test_only_the_difference_is_reported(node: Node) -> None:
    node.converge(files=[{"path": "/etc/x", "content": "a\n"}])
    (step,) = node.converge(files=[{"path": "/etc/x", "content": "a\n", "mode": "0600"}]).steps
    assert (step.before, step.after) == ({"mode": "0644"}, {"mode": "0600"})
    report = node.converge(files=[{"path": "/etc/x", "content": "b\n", "mode": "0600"}])
    assert report.differences() == [Difference("file:/etc/x", "content:\na\n", "content:\nb\n")]


@pytest.mark.parametrize("theirs", [0o755, 0o700, 0o1777, 0o775])
def test_a_directory_of_others_keeps_its_mode(node: Node, theirs: int) -> None:
    """/var/log with the audit log, /root or /tmp with a file of the user's: also when the host is cleaned."""
    node.file("/var/log").mkdir(mode=0o700)
    node.file("/var/log").chmod(theirs)
    wanted = {
        "directories": [{"path": "/var/log", "mode": "0700"}, {"path": "/var/log/ours", "mode": "0700"}],
        "files": [{"path": "/var/log/ours/x", "content": ""}],
    }
    report = node.converge(**wanted)
    assert "directory:/var/log" not in changed(report)
    assert report.warnings == []
    assert mode(node, "/var/log") == oct(theirs)
    assert mode(node, "/var/log/ours") == "0o700"
    node.file("/var/log").chmod(0o711)
    node.file("/var/log/ours").chmod(0o755)
    assert changed(node.converge(**wanted)) == ["directory:/var/log/ours"]
    node.converge()
    assert mode(node, "/var/log") == "0o711"
    assert not node.file("/var/log/ours").exists()


def test_a_directory_of_others_that_every_user_may_change_is_named(node: Node) -> None:
    node.file("/srv/keys").mkdir(parents=True)
    node.file("/srv/keys").chmod(0o777)
    report = node.converge(directories=[{"path": "/srv/keys", "mode": "0700"}])
    assert not report.changed
    assert report.warnings == ["directory:/srv/keys was there before, and every user may change it (mode 0777)"]


def test_what_leaves_is_removed_and_what_was_there_before_comes_back(node: Node) -> None:
    node.file("/etc/old.conf").write_text("theirs\n")
    node.file("/etc/old.conf").chmod(0o600)
    node.file("/etc/old-link").symlink_to("old.conf")
    files = [{"path": f"/etc/{name}", "content": "ours\n"} for name in ("old.conf", "old-link", "new/deep/new.conf")]
    node.converge(files=files)
    assert node.file("/etc/old-link").read_text() == "ours\n"
    node.file("/etc/new/theirs").write_text("")
    report = node.converge()
    assert node.file("/etc/old.conf").read_text() == "theirs\n"
    assert mode(node, "/etc/old.conf") == "0o600"
    assert os.readlink(node.file("/etc/old-link")) == "old.conf"
    assert node.file("/etc/new/theirs").exists()
    assert not node.file("/etc/new/deep").exists()
    assert report.warnings == ["directory:/etc/new stays: it contains files that are not ours"]
    assert not node.converge().changed


def test_a_file_that_was_there_as_wanted_stays_theirs(node: Node) -> None:
    node.file("/etc/same").write_text("same\n")
    node.file("/etc/same").chmod(0o644)
    assert not node.converge(files=[{"path": "/etc/same", "content": "same\n"}]).changed
    node.converge()
    assert node.file("/etc/same").exists()


def test_absent_files_go_whoever_brought_them(node: Node) -> None:
    node.file("/etc/theirs").write_text("")
    assert changed(node.converge(absent={"files": ["/etc/theirs", "/etc/none"]})) == ["file:/etc/theirs"]
    assert not node.file("/etc/theirs").exists()


def test_a_block_leaves_the_rest_alone(node: Node) -> None:
    hosts = node.file("/etc/hosts")
    files = [{"path": "/etc/hosts", "content": "10.0.0.1 api\n", "block": "demo"}]
    node.converge(files=files)
    hosts.write_text(hosts.read_text() + "10.0.0.9 theirs\n")
    assert not node.converge(files=files).changed
    files[0]["content"] = "10.0.0.2 api\n"
    node.converge(files=files)
    ours = "# Begin of demo, kept by kops\n10.0.0.2 api\n# End of demo, kept by kops\n"
    assert hosts.read_text() == f"127.0.0.1 localhost\n{ours}10.0.0.9 theirs\n"
    node.converge()
    assert hosts.read_text() == "127.0.0.1 localhost\n10.0.0.9 theirs\n"


@pytest.mark.parametrize("text", [b"", b"A=1", b"A=1\n", b"\xe9=\xff\n", b"\n"])
def test_a_file_is_byte_for_byte_what_it_was_before_its_block(node: Node, text: bytes) -> None:
    """With its mode, too: it belongs to another."""
    path = node.file("/etc/environment")
    path.write_bytes(text)
    path.chmod(0o640)
    files = [{"path": "/etc/environment", "content": "PROXY=x\n", "block": "demo"}]
    node.converge(files=files)
    assert path.read_bytes().endswith(b"# End of demo, kept by kops\n")
    assert not node.converge(files=files).changed
    assert mode(node, "/etc/environment") == "0o640"
    node.remove_node()
    assert path.read_bytes() == text
    assert mode(node, "/etc/environment") == "0o640"


def test_lines_after_a_block_keep_their_end(node: Node) -> None:
    path = node.file("/etc/environment")
    path.write_text("A=1")
    node.converge(files=[{"path": "/etc/environment", "content": "PROXY=x\n", "block": "demo"}])
    path.write_text(path.read_text() + "B=2\n")
    node.remove_node()
    assert path.read_text() == "A=1\nB=2\n"


def test_a_block_goes_into_the_file_that_a_link_leads_to(node: Node) -> None:
    theirs = node.file("/etc/theirs")
    theirs.write_text("127.0.0.1 localhost\n")
    link = node.file("/etc/names")
    link.symlink_to("theirs")
    files = [{"path": "/etc/names", "content": "10.0.0.1 api\n", "block": "demo"}]
    node.converge(files=files)
    assert os.readlink(link) == "theirs"
    assert theirs.read_text().startswith("127.0.0.1 localhost\n# Begin of demo")
    assert not node.converge(files=files).changed
    node.converge()
    assert (os.readlink(link), theirs.read_text()) == ("theirs", "127.0.0.1 localhost\n")


def test_a_block_in_a_file_of_its_own_goes_with_the_file(node: Node) -> None:
    node.converge(files=[{"path": "/etc/mine", "content": "x", "block": "demo"}])
    node.converge()
    assert not node.file("/etc/mine").exists()


# As cloud-init's template for Debian begins; older versions name a template that they do not have.
MANAGED = """# Your system has configured 'manage_etc_hosts' as True.
# a.) make changes to the master file in /etc/cloud/templates/{name}.tmpl
127.0.0.1 localhost
"""


@pytest.mark.parametrize("name", ["hosts.debian", "hosts"])
def test_a_block_stays_where_cloud_init_writes_the_file_at_every_boot(node: Node, name: str) -> None:
    hosts, template = node.file("/etc/hosts"), node.file("/etc/cloud/templates/hosts.debian.tmpl")
    written = MANAGED.format(name=name)
    template.parent.mkdir(parents=True)
    for path in (hosts, template):
        path.write_text(written)
    files = [{"path": "/etc/hosts", "content": "10.0.0.1 api\n", "block": "demo"}]
    assert changed(node.converge(files=files)) == ["file:/etc/hosts", f"file:/etc/cloud/templates/{template.name}"]
    hosts.write_text(template.read_text())
    again = node.converge(files=files)
    assert not again.changed
    assert again.warnings == []
    node.converge()
    assert (hosts.read_text(), template.read_text()) == (written, written)


def test_a_block_that_cloud_init_takes_away_is_told(node: Node) -> None:
    node.file("/etc/hosts").write_text(MANAGED.format(name="hosts.debian"))
    (warning,) = node.converge(files=[{"path": "/etc/hosts", "content": "10.0.0.1 api\n", "block": "demo"}]).warnings
    assert warning.startswith("file:/etc/hosts: cloud-init writes it anew at every boot")
    assert not node.file("/etc/cloud").exists()


def test_a_block_is_put_and_taken() -> None:
    block = Block("demo")
    assert block.take(block.put(b"a", b"b")) == b"a\n"
    assert block.put(block.put(b"", b"b"), b"c") == block.put(b"", b"c")


def test_once_is_once(node: Node) -> None:
    files = [{"path": "/var/log/x.log", "content": "", "mode": "0400", "once": True}]
    assert node.converge(files=files).changed
    node.file("/var/log/x.log").chmod(0o644)
    node.file("/var/log/x.log").write_text("log")
    assert not node.converge(files=files).changed
    node.converge()
    assert not node.file("/var/log/x.log").exists()


def test_secrets_are_written_and_never_shown(node: Node) -> None:
    node.secrets = {"key": b"hunter2-hunter2-hunter2\n"}
    files = [
        {"path": "/etc/key", "reference": "key", "mode": "0400"},
        {"path": "/etc/s", "content": "pass", "secret": True},
    ]
    first = node.converge(files=files)
    assert node.file("/etc/key").read_bytes() == node.secrets["key"]
    assert mode(node, "/etc/key") == "0o400"
    node.secrets = {"key": b"hunter3-hunter3-hunter3\n"}
    second = node.converge(files=files)
    assert changed(second) == ["file:/etc/key"]
    shown = json.dumps([each for run in (first, second) for each in (run.as_dict(), run.outcome().as_result())])
    assert "hunter" not in shown
    assert '"pass"' not in shown
    assert "(another secret)" in shown
    assert "hunter" not in node.file("/var/lib/kops/state.json").read_text()
    assert mode(node, "/var/lib/kops/state.json") == "0o600"


def test_a_secret_that_is_not_sent_again_stays(node: Node) -> None:
    files = [{"path": "/etc/key", "reference": "key", "mode": "0400"}]
    node.secrets = {"key": b"secret"}
    node.converge(files=files)
    node.secrets = {}
    node.file("/etc/key").chmod(0o644)
    assert changed(node.converge(files=files)) == ["file:/etc/key"]
    assert (node.file("/etc/key").read_text(), mode(node, "/etc/key")) == ("secret", "0o400")


def test_a_full_disk_leaves_the_old_file_and_no_half_one(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.converge(files=[{"path": "/etc/x", "content": "old\n"}])
    write = os.write

    def full(descriptor: int, data: Any) -> int:
        if b"new" in bytes(data):
            write(descriptor, bytes(data)[:2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(KopsError, match=r"no space: .*/etc/x cannot be written, its filesystem has \d+ KiB left"):
        node.converge(files=[{"path": "/etc/x", "content": "new\n"}])
    monkeypatch.undo()
    assert node.file("/etc/x").read_text() == "old\n"
    assert [name for name in os.listdir(node.file("/etc")) if "kops-new" in name] == []
    assert node.converge(files=[{"path": "/etc/x", "content": "new\n"}]).changed


def test_a_disk_that_is_nearly_full_is_told_before_anything_is_done(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {"files": [{"path": "/etc/x", "content": "text"}]}
    monkeypatch.setattr(os, "statvfs", lambda _path: os.statvfs_result((4096, 4096, 0, 0, 100, 0, 0, 0, 0, 255)))
    with pytest.raises(KopsError, match="no space: .* needs at least 16 MiB, and its filesystem has 0 MiB left"):
        node.converge(**parts)
    assert not node.file("/etc/x").exists()
    assert not node.file("/var/lib/kops").exists()


def test_a_mount_point_is_written_in_place(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = node.file("/etc/hosts")
    inode = hosts.stat().st_ino
    monkeypatch.setattr(os.path, "ismount", lambda path: path == str(hosts))
    node.converge(files=[{"path": "/etc/hosts", "content": "x\n"}])
    assert (hosts.read_text(), hosts.stat().st_ino) == ("x\n", inode)
