# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The boot of an instance: from what user data says to a node.

It runs at every boot of the machine, in the unit that user data installs. Whatever fails is tried again, and what it
waits for is printed. Nothing of it changes a node that is what it should be.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...base.report import Report
from ..bootstrap import client
from ..clouds import this_instance
from ..converge import Options, converge
from ..machine import Machine, find_machine
from . import from_servers, from_store, node_configs, settings
from .given import Given
from .instance import Instance
from .settings import Settings
from .waiting import Patience, say

# Downloads are tried some times by themselves; then the reason is said, and they go on.
_DOWNLOADS = 3


@dataclass(frozen=True)
class Boot:
    """A boot that is under way."""

    settings: Settings
    instance: Instance
    machine: Machine
    patience: Patience

    def run(self, options: Options) -> Report:
        """Become a node. Raises ConfigError for what does not change by waiting."""
        place = node_configs.wanted(self.settings, self.machine)
        facts = self.patience.until_done("the metadata of this instance", self.instance.facts)
        say(
            f"this is {facts['NODE_NAME']}, of instance group {self.settings.instance_group} of {self.settings.cluster}"
        )
        given = self.patience.until_done(self._awaited(), lambda: self._given(facts, place, check=options.check))
        own = self.patience.until_done(
            "what its NodeConfig asks of this instance",
            lambda: self.instance.facts_named(given.config.get("facts") or (), self.machine),
        )
        report = self.patience.until_done(
            "this machine to be what its NodeConfig says",
            lambda: converge(given.config, given.secrets, {**facts, **own, **given.facts}, options),
        )
        if not options.check:
            client.forget_keys(self.machine)
            if self.settings.servers is None:
                from_store.remember(self.settings, self.instance, self.machine, given)
        return report

    def _awaited(self) -> str:
        """What it waits for, after the metadata."""
        if self.settings.servers is None:
            return f"its files in the state store {self.settings.store}, and its volumes"
        return f"a bootstrap server of {self.settings.cluster}"

    def _given(self, facts: Mapping[str, str], place: tuple[str, str], *, check: bool) -> Given:
        if self.settings.servers is None:
            return from_store.given(self.settings, self.instance, self.machine, facts, place, check=check)
        return from_servers.given(self.settings, self.instance, self.machine, place[1])


def boot(path: str, options: Options, patience: Patience) -> Report:
    """Boot as boot.json at the path says. Raises KopsError."""
    known = settings.read(path)
    os.environ.update(known.environment)
    machine = find_machine(options.root, options.host)
    options = replace(options, retry=replace(options.retry, attempts=_DOWNLOADS))
    report = Boot(known, this_instance(known.cloud), machine, patience).run(options)
    say("this machine is a node now" if not options.check else "this machine would become a node")
    return report
