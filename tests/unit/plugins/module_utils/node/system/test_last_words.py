# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs have said last, out of logs as they are."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.last_words import last_words

KUBELET = """\
2026-11-25T18:41:00+0000 ip-10-0-1-7 systemd[1]: Started kubelet.service - Kubernetes Kubelet Server.
2026-11-25T18:41:01+0000 ip-10-0-1-7 kubelet[812]: I1125 18:41:01.000001     812 server.go:211] "--x is deprecated"
2026-11-25T18:41:01+0000 ip-10-0-1-7 kubelet[812]: E1125 18:41:01.101222     812 run.go:72] "command failed" \
err="failed to parse kubelet flag: unknown flag: --bogus"
2026-11-25T18:41:01+0000 ip-10-0-1-7 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE
2026-11-25T18:41:01+0000 ip-10-0-1-7 systemd[1]: kubelet.service: Failed with result 'exit-code'.
2026-11-25T18:41:03+0000 ip-10-0-1-7 systemd[1]: kubelet.service: Scheduled restart job, restart counter is at 7.
"""
MISSING = """\
2026-11-25T18:41:01+0000 node systemd[1]: kubelet.service: Failed to execute /opt/kubelet: No such file or directory
2026-11-25T18:41:03+0000 node systemd[1]: kubelet.service: Scheduled restart job, restart counter is at 7.
"""


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (KUBELET, '"command failed" err="failed to parse kubelet flag: unknown flag: --bogus"'),
        (MISSING, "kubelet.service: Failed to execute /opt/kubelet: No such file or directory"),
        ("Error: open /etc/x: denied\nusage:\n  --flag\n", "Error: open /etc/x: denied"),
        ("I1125 18:41:01.000001     812 a.go:1] unknown things happen\nlast\n", "last"),
        ("panic: " + "x" * 1000, "panic: " + "x" * 393),
        ("", ""),
    ],
)
def test_the_last_words_of_a_log(log: str, expected: str) -> None:
    assert last_words(log) == expected
