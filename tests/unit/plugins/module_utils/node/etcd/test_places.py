# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file that says where members are (TLS to them: tests/integration/test_etcd_volumes.py)."""

from __future__ import annotations

import pathlib

from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.places import HOSTS, places


def test_names_have_the_addresses_of_the_file(tmp_path: pathlib.Path) -> None:
    assert places(str(tmp_path)) == {}
    file = tmp_path / HOSTS.lstrip("/")
    file.parent.mkdir(parents=True)
    file.write_text(
        "127.0.0.1 localhost\n::1 localhost\n\n10.0.0.1 etcd-a.internal.demo\nfd00::1 etcd-b.internal.demo\n"
    )
    assert places(str(tmp_path)) == {"etcd-a.internal.demo": "10.0.0.1", "etcd-b.internal.demo": "fd00::1"}
