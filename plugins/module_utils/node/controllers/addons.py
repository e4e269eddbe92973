# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addons of the state store, applied by the control plane that leads: the work of kops' channels.

Once for each content of the store, as in kops: what others change in the cluster stays as it is until the addons
change, or until somebody removes the record of an addon.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional

from ...base.errors import KopsError
from ...base.report import Report
from ...exchange.addons import OBJECTS, StoredAddons
from ...kubernetes import controllers
from ...kubernetes.addons.apply import apply_addons
from ...kubernetes.addons.versions import NAMESPACE, not_applied
from ..system.waiting import say
from .controller import Controller, Work

# So late an update is noticed at the latest.
_PERIOD = 10.0
# What is refused because of another addon is sent again for so long; then others get the word about it.
_WAIT = 20.0
_MOST_NAMES = 12


class Addons:
    """One leader's view: what the store has, and whether it is applied."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._url = f"{work.settings.store.rstrip('/')}/addons/{OBJECTS}"
        self._tag = ""
        self._stored: Optional[StoredAddons] = None
        # As long as they are not applied, they are kept: the store may be away when they are sent again.
        self._complete = False

    def round(self) -> None:
        """Apply what is not applied. Raises KopsError, OSError."""
        self._look()
        stored = self._stored
        missing = not_applied(stored, self._annotations()) if stored is not None else []
        if stored is None or not missing:
            return
        if not self._complete:
            stored = self._load()
        report = apply_addons(self._work.client, stored.addons, stored.retired, wait=_WAIT, network_wait=0)
        _tell(report, len(stored.addons))
        self._stored, self._complete = stored.without_objects(), False

    def _look(self) -> None:
        """Whether the store has other addons. One small request if not."""
        try:
            found = self._work.store.read_changed(self._url, self._tag)
        except (KopsError, OSError):
            # What is known can be applied meanwhile, and is not forgotten.
            if self._stored is not None and self._complete:
                return
            raise
        if found is not None:
            content, tag = found
            self._stored, self._complete = self._read(content), True
            self._tag = tag

    def _load(self) -> StoredAddons:
        self._tag = ""
        self._look()
        if self._stored is None:
            raise KopsError(f"{self._url} has not been read")
        return self._stored

    def _read(self, content: bytes) -> StoredAddons:
        try:
            return StoredAddons.read(content)
        except KopsError as error:
            raise KopsError(f"{self._url}: {error}") from error

    def _annotations(self) -> dict[str, str]:
        """Of the namespace, in which it is recorded what is applied."""
        found = self._work.client.get(f"/api/v1/namespaces/{NAMESPACE}")
        return found["metadata"].get("annotations") or {}


def start(work: Work) -> Callable[[], None]:
    """Begin to apply addons."""
    return Addons(work).round


def _tell(report: Report, number: int) -> None:
    """What was changed, for the journal."""
    for warning in report.warnings:
        say(f"addons: {warning}")
    changed = [step.item for step in report.steps if step.changed]
    more = f" and {len(changed) - _MOST_NAMES} more" if len(changed) > _MOST_NAMES else ""
    named = f": {', '.join(changed[:_MOST_NAMES])}{more}" if changed else ""
    say(f"addons: {number} addons are applied, {len(changed)} of {len(report.steps)} objects were changed{named}")


ADDONS = Controller(controllers.ADDONS, _PERIOD, start)
