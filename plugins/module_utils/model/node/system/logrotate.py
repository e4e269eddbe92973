# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation of the logs that components write to files of the host (logrotate.go of nodeup)."""

from __future__ import annotations

from ....exchange.distributions import FAMILIES
from ..context import NodeContext
from ..draft import Draft, on
from ..systemd import unit_text

_LOGS = (
    *("kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler"),
    *("etcd", "etcd-events", "etcd-leases", "etcd-cilium"),
)
# copytruncate: the writing process keeps the file open. dateformat: where the distribution has set dateext, a log that
# is rotated twice a day would otherwise get the same name twice, which logrotate refuses.
_RULES = """/var/log/{name}.log {{
  rotate 5
  copytruncate
  missingok
  notifempty
  delaycompress
  maxsize 100M
  dateformat -%Y%m%d-%s
  daily
  create 0644 root root
}}
"""
_SERVICE = {
    "Unit": [("Description", "Rotate and Compress System Logs")],
    "Service": [("Type", "oneshot"), ("ExecStart", "/usr/sbin/logrotate /etc/logrotate.conf")],
}
_TIMER = {
    "Unit": [("Description", "Hourly Log Rotation")],
    "Timer": [("OnCalendar", "hourly")],
    "Install": [("WantedBy", "timers.target")],
}


def build(context: NodeContext, draft: Draft) -> None:
    """logrotate, once an hour, in place of the distribution's own timer."""
    installing = [family.name for family in FAMILIES.values() if family.package_manager]
    draft.package("logrotate", when=on(family=installing))
    for name in _LOGS:
        draft.file(f"/etc/logrotate.d/{name}", _RULES.format(name=name))
    # The timer starts it.
    without = [family.name for family in FAMILIES.values() if not family.rotates]
    draft.unit("logrotate.service", unit_text(_SERVICE), enabled=False, state="stopped", when=on(family=without))
    draft.unit("logrotate.timer", unit_text(_TIMER))
