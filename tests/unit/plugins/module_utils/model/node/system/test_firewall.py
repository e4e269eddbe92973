# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the script of the firewall's unit does, with a table of iptables that remembers its rules."""

from __future__ import annotations

import os
import subprocess

import pytest

SCRIPT = "/opt/kops/bin/iptables-setup"
OPENSTACK = {"cloudProvider.aws": None, "cloudProvider.openstack": {}, "cloudControllerManager": None}
# Rules of a table are lines of a file; chains accept what no rule names.
IPTABLES = """#!/bin/bash
[ "$2" = -S ] && { echo "-P $3 ACCEPT"; exit; }
[ "$1 $2" = "-w -t" ] || exit 2
rule="$3 ${*:5}"
case "$4" in
  -C) grep -qxF -- "${rule}" "${RULES}" ;;
  -I) echo "${rule}" >> "${RULES}" ;;
esac
"""


@pytest.mark.parametrize(
    ("fields", "rules"),
    [({}, ""), (OPENSTACK, "raw PREROUTING -d 169.254.169.254 -j DROP\n")],
    ids=["aws", "openstack"],
)
def test_pods_do_not_reach_the_metadata_service(file_of, tmp_path, fields, rules):
    """Written once, however often the unit runs."""
    script, known = tmp_path / "script", tmp_path / "rules"
    script.write_text(file_of(SCRIPT, on_metal=False, fields=fields))
    (tmp_path / "iptables").write_text(IPTABLES)
    (tmp_path / "iptables").chmod(0o755)
    known.touch()
    for _run in range(2):
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "RULES": str(known)}
        subprocess.run(["bash", str(script)], env=environment, check=True)
        assert known.read_text() == rules
