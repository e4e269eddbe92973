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
from .. import boot_file
from ..boot_file import Settings
from ..bootstrap import client
from ..cloud.instance import Instance
from ..clouds import this_instance
from ..converge import Options, converge
from ..stores.by_scheme import StoreByScheme
from ..stores.store import Store
from ..system import lock
from ..system.machine import Machine, find_machine
from ..system.waiting import Patience, say
from . import from_servers, from_store, node_configs, warm_pool
from .given import Given
from .warm_pool import pull, warm_pool_of

# Held by whoever makes the machine a node, or renews its certificates: the keys for these are in one place.
LOCK = "/run/kubeops/boot.lock"
# Longer than a renewal takes.
_LOCK_SECONDS = 900
# Downloads are tried some times by themselves; then the reason is said, and they go on.
_DOWNLOADS = 3


@dataclass(frozen=True)
class Boot:
    """A boot that is under way. place: location and hash of the NodeConfig."""

    settings: Settings
    instance: Instance
    store: Store
    machine: Machine
    patience: Patience
    place: tuple[str, str]

    def run(self, options: Options) -> Report:
        """Become a node, or ready for a warm pool, whatever it takes. Raises ConfigError if waiting does not help."""
        facts = self.patience.until_done("the metadata of this instance", self.facts)
        say(
            f"this is {facts['NODE_NAME']}, of instance group {self.settings.instance_group} of {self.settings.cluster}"
        )
        given = self.patience.until_done(self._awaited(), lambda: self._given(facts, check=options.check))
        own = self.patience.until_done("what its NodeConfig asks of this instance", lambda: self._own(given, options))
        report = self.patience.until_done(
            "this machine to be what its NodeConfig says", lambda: self._converge({**facts, **own}, given, options)
        )
        self._end(given, options)
        if not options.check:
            self._leave(given)
        say(_said(given, check=options.check))
        return report

    def become_node(self, options: Options) -> Report:
        """One attempt at all of it. Raises KopsError, OSError."""
        facts = self.facts()
        given = self._given(facts, check=options.check)
        report = self._converge({**facts, **self._own(given, options)}, given, options)
        self._end(given, options)
        return report

    def facts(self) -> dict[str, str]:
        """What the cloud decides about this node. Raises KopsError, OSError."""
        facts = self.instance.facts()
        if self.settings.named_by_address:
            facts["NODE_NAME"] = self.instance.name_by_address(facts)
        return facts

    def _own(self, given: Given, options: Options) -> dict[str, str]:
        return self.instance.facts_named(given.config.get("facts") or (), self.machine, check=options.check)

    def _converge(self, facts: Mapping[str, str], given: Given, options: Options) -> Report:
        return converge(given.config, given.secrets, {**facts, **given.facts}, options)

    def _end(self, given: Given, options: Options) -> None:
        if not options.check:
            client.forget_keys(self.machine)
            if self.settings.servers is None:
                from_store.remember(self.settings, self.instance, self.store, self.machine, given)

    def _leave(self, given: Given) -> None:
        """What an instance of a group with a warm pool does at the end of its boot, in the pool and as a node."""
        pool = warm_pool_of(given.config)
        if pool is None:
            return
        if given.is_prepared:
            pull(self.machine.host, pool.images)
        if pool.hook and self.patience.until_done(
            f"its group {pool.group}", lambda: self.instance.tell_group(pool.group, pool.hook)
        ):
            say(f"the group {pool.group} knows that this instance is ready")

    def _awaited(self) -> str:
        """What it waits for, after the metadata."""
        if self.settings.servers is None:
            return f"its files in the state store {self.settings.store}, and its volumes"
        return f"a bootstrap server of {self.settings.cluster}"

    def _given(self, facts: Mapping[str, str], *, check: bool) -> Given:
        if self.settings.servers is None:
            given = from_store.given(
                self.settings, self.instance, self.store, self.machine, facts, self.place, check=check
            )
        else:
            given = from_servers.given(self.settings, self.instance, self.machine, self.place[1])
        if warm_pool_of(given.config) is None or not self.instance.is_prepared():
            return given
        return replace(given, config=warm_pool.prepared(given.config), is_prepared=True)


def prepared(path: str, options: Options, patience: Patience) -> tuple[Boot, Options]:
    """What boot.json at the path says, and the options for converging. Raises KopsError, ConfigError."""
    known = boot_file.read(path)
    os.environ.update(known.environment)
    machine = find_machine(options.root, options.host)
    options = replace(options, retry=replace(options.retry, attempts=_DOWNLOADS))
    place = node_configs.wanted(known, machine)
    instance = this_instance(known.cloud)
    return Boot(known, instance, StoreByScheme(instance), machine, patience, place), options


def boot(path: str, options: Options, patience: Patience) -> Report:
    """Boot as boot.json at the path says. Raises KopsError."""
    booting, options = prepared(path, options, patience)
    with lock.held(booting.machine.path(LOCK), wait=_LOCK_SECONDS, check=options.check):
        return booting.run(options)


def _said(given: Given, *, check: bool) -> str:
    what = "ready for its warm pool" if given.is_prepared else "a node"
    return f"this machine would become {what}" if check else f"this machine is {what} now"
