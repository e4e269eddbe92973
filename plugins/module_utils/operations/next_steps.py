# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Next steps after an operation: one table, by how the operation has ended.

Modules and playbooks say how it has ended; only this table says what to do then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..api.suggest import did_you_mean
from ..base.errors import KopsError

# Operations, by the names of their playbooks.
CREATE, UPDATE, RECONCILE, UPGRADE = "create_cluster", "update_cluster", "reconcile", "upgrade_cluster"
HOSTS, REMOVE_HOSTS = "hosts", "remove_hosts"
ROLL, REPAIR, DELETE_INSTANCE, ROTATE = "rolling_update", "repair", "delete_instance", "rotate"
BACKUP, RESTORE, DELETE = "etcd_backup", "etcd_restore", "delete_cluster"
_APPLYING = (CREATE, UPDATE, RECONCILE, UPGRADE)
_CHANGING_HOSTS = (CREATE, UPDATE, HOSTS, DELETE_INSTANCE)

# How an operation has ended.
PLANNED, PLANNED_AS, FAILED, STORED = "planned", "planned_as", "failed", "stored"
WRITTEN, OUTDATED, UNVALIDATED, REACHABLE = "written", "outdated", "unvalidated", "reachable"
LIMITED, REFUSED, WATCHED, OUT_OF_REACH = "limited", "refused", "watched", "out_of_reach"
DEFERRED, UNDRAINED, REMOVED = "deferred", "undrained", "removed"
NEW_CA, UNTIL = "new_ca", "until"
BACKED_UP, UNREGISTERED, KEPT, DELETED, COMPLETE = "backed_up", "unregistered", "kept", "deleted", "complete"


@dataclass(frozen=True)
class Row:
    """One next step. ended: how the operation has ended. operations: to which it applies; empty for all.

    text: with {} for what was said of the end. unless: an end that, if it is said of the operation, says more.
    """

    ended: str
    text: str
    operations: tuple[str, ...] = ()
    unless: str = ""


# In the order in which they are said.
TABLE = (
    Row(
        PLANNED_AS,
        "the same without --check; with -e kops_plan_id={} it does exactly this, or nothing",
        (CREATE, UPDATE),
    ),
    Row(PLANNED, "the same without --check", unless=PLANNED_AS),
    Row(FAILED, "the same once more when this is mended; it continues where it has stopped"),
    Row(STORED, "kubeops.kops.update_cluster"),
    # Each target says what is done with its files (targets/).
    Row(WRITTEN, "{}", _APPLYING),
    Row(
        OUTDATED,
        "kubeops.kops.rolling_update drains and replaces the instances of these groups, one after the other",
        (CREATE, UPDATE),
    ),
    Row(DEFERRED, "kubeops.kops.rolling_update drains and changes {}, one after the other", _CHANGING_HOSTS),
    Row(UNDRAINED, "kubeops.kops.hosts -e kops_interrupt=true changes {} without draining", _CHANGING_HOSTS),
    Row(LIMITED, "the same without kops_limit replaces the others", (ROLL,)),
    Row(REFUSED, "kubeops.kops.toolbox_dump collects logs and consoles, which say why so many have failed", (REPAIR,)),
    Row(OUT_OF_REACH, "kubeops.kops.remove_hosts -e kops_remove={} removes what cannot be repaired", (REPAIR,)),
    Row(WATCHED, "the same later: what is watched may have failed by then", (REPAIR,)),
    Row(REMOVED, "take {} out of the inventory, then run kubeops.kops.hosts", (REMOVE_HOSTS, DELETE_INSTANCE)),
    Row(NEW_CA, "kubeops.kops.kubeconfig writes a kubeconfig with the new CA; every user needs one", (ROTATE,)),
    Row(UNTIL, "the same without kops_rotate_until, when all users have theirs", (ROTATE,)),
    Row(
        UNVALIDATED,
        "kubeops.kops.validate_cluster -e kops_validate_wait=900 waits until it is valid",
        (*_APPLYING, HOSTS, ROLL, REPAIR, DELETE_INSTANCE, RESTORE),
    ),
    Row(REACHABLE, "kubeops.kops.kubeconfig writes a kubeconfig for it", (CREATE, UPDATE, UPGRADE)),
    Row(
        BACKED_UP, "kubeops.kops.etcd_restore restores them; with --check it names those that it would take", (BACKUP,)
    ),
    Row(
        UNREGISTERED,
        "what it has in the cloud is still there; kubeops.kops.delete_cluster -e kops_external=true {} deletes it",
        (DELETE,),
    ),
    Row(
        KEPT,
        "kubeops.kops.delete_cluster -e kops_external=true {} deletes the volumes of its claims, too",
        (DELETE,),
    ),
    Row(COMPLETE, "nothing; the cluster is as its specification says", (RECONCILE, UPGRADE)),
    Row(DELETED, "kubectl config delete-context {} removes it from a kubeconfig", (DELETE,)),
)


def next_steps(operation: str, ended: Mapping[str, Any]) -> list[str]:
    """Next steps, each a playbook or "the same" with what it does, as text that follows "Next: ".

    ended: ways to end -> whether it has ended so: false or empty if not, else true, a text, or a list of names. Ways
    that mean nothing after this operation are left out, since it may be a step of a larger one. Raises KopsError for
    ways that no operation has.
    """
    known = {row.ended for row in TABLE}
    unknown = [name for name in ended if name not in known]
    if unknown:
        raise KopsError(f"no operation ends as {unknown[0]!r}{did_you_mean(unknown[0], known)}")
    return list(_said(operation, ended))


def _said(operation: str, ended: Mapping[str, Any]) -> Iterator[str]:
    rows = [row for row in TABLE if ended.get(row.ended) and operation in (row.operations or (operation,))]
    for row in rows:
        if row.unless not in (each.ended for each in rows):
            value = ended[row.ended]
            yield row.text.format(",".join(value) if isinstance(value, (list, tuple)) else value)
