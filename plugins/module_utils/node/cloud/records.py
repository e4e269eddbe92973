# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DNS in a cloud, for the controllers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class RecordSet:
    """A record set of DNS. name: without the last dot. values: sorted. alias: what it leads to instead of values."""

    name: str
    type: str
    values: tuple[str, ...] = ()
    alias: str = ""


class CloudRecords(Protocol):
    """The record sets of one hosted zone. All methods raise KopsError or OSError."""

    def find(self, name: str, record_type: str) -> RecordSet | None:
        """The record set of that name and type."""

    def write(self, records: Collection[RecordSet], seconds: int) -> None:
        """Write these record sets, whatever they say now; at once if it can. seconds: for which they are kept."""


class Records(Protocol):
    """Hosted zones. All methods raise KopsError or OSError, which are worth another try."""

    def records(self, zone: str, *, private: bool, role: str, token: Callable[[str], str]) -> CloudRecords:
        """The record sets of a hosted zone, for the cluster's controllers. zone: its name or its id.

        role: of a service account, if the instance has no rights to the zone. token: gives one of that account, for
        the audience that the cloud asks for.
        """
