# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EBS volumes: the defaults of their types and the limits that AWS sets."""

from __future__ import annotations

from ...base.errors import KopsError

DEFAULT_TYPE = "gp3"
MINIMUM_IOPS = {"io1": 100, "io2": 100, "gp3": 3000}
MINIMUM_GP3_THROUGHPUT = 125

# Most IOPS for each GB.
_IOPS_RATIO = {"io1": 50, "io2": 500, "gp3": 500}
_GP3_THROUGHPUT_RATIO = 0.25


def performance(kind: str, iops: int | None, throughput: int | None) -> tuple[int | None, int | None]:
    """IOPS and throughput (MiB/s) of a volume, at least the type's minimum; None where the type has no such setting."""
    if kind not in MINIMUM_IOPS:
        return None, None
    enough = max(iops or 0, MINIMUM_IOPS[kind])
    return enough, max(throughput or 0, MINIMUM_GP3_THROUGHPUT) if kind == "gp3" else None


def performance_as_given(kind: str, iops: int | None, throughput: int | None) -> tuple[int | None, int | None]:
    """IOPS and throughput of a volume whose user knows best: the type's minimum only where nothing is given."""
    least_iops, least_throughput = performance(kind, None, None)
    return (
        least_iops if least_iops is None or iops is None else iops,
        least_throughput if throughput is None else throughput,
    )


def check(name: str, kind: str, size: int, iops: int | None, throughput: int | None) -> None:
    """Raise KopsError when AWS would refuse the volume."""
    if iops is None:
        return
    over_baseline = kind != "gp3" or iops > MINIMUM_IOPS["gp3"]
    if over_baseline and iops / size > _IOPS_RATIO[kind]:
        raise KopsError(
            f"volume {name}: {iops} IOPS on {size} GB; {kind} allows at most {_IOPS_RATIO[kind]} for each GB"
        )
    if throughput is not None and throughput / iops > _GP3_THROUGHPUT_RATIO:
        raise KopsError(
            f"volume {name}: {throughput} MiB/s with {iops} IOPS; {kind} allows at most a quarter of the IOPS"
        )
