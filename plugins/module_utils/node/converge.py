# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Making a node equal to its NodeConfig: look at everything, then change what differs, in one order.

Looking writes nothing. What it finds is the report, in check mode and otherwise.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import ConfigError, KopsError
from ..base.report import Report
from . import (
    apt_sources,
    checks,
    downloads,
    fetch,
    files,
    images,
    kernel,
    lock,
    packages,
    record,
    removed,
    static_pods,
    users,
    volumes,
)
from .atomic import discard_temporary, free_space, remove
from .config import read_config, read_secrets
from .context import ORIGINALS, Context, Phase
from .distributions import describe, find_distribution, supported
from .fetch import RetryPolicy
from .host import Host
from .items import Config
from .machine import Machine
from .redaction import Redactor
from .units import Units
from .wipe import wipe

# What has to be left besides downloads of known size, for files and for whatever else lives on the node.
_SPARE = 16 << 20


@dataclass(frozen=True)
class Options:
    """How a run goes about. root and host: another machine than this one, for tests. lock_wait: seconds.

    defer: change nothing at all where something that runs would be interrupted.
    wipe: when a node is taken off the machine, also take what came about by it.
    """

    check: bool = False
    root: str = "/"
    host: Host = field(default_factory=Host)
    lock_wait: float = 120
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    defer: bool = False
    wipe: bool = False


def converge(
    config: Any, secrets: Any = None, facts: Mapping[str, Any] | None = None, options: Options | None = None
) -> Report:
    """Make the node equal to a NodeConfig; with check only say what would be done.

    config: the NodeConfig (schema 1) as plain data. secrets: base64 by the name that files refer to them by.
    facts: values for the markers in its texts that the node cannot find by itself.
    Raises KopsError; ConfigError if nothing was changed because of it. Running again goes on where a run ended.
    """
    options = options or Options()
    decoded = read_secrets(secrets or {})
    try:
        machine = find_machine(options)
        with _locked(machine, options):
            before = record.load(machine.path(record.PATH))
            wanted, given = read_config(config, facts or {}, machine, before.facts)
            context = Context(machine, wanted, decoded, before, options.retry)
            context.next.facts = given
            context.next.found = before.found if before.cluster else wipe.found_before(machine, wanted.cluster)
            return _run(context, options)
    except (KopsError, OSError) as error:
        message = Redactor(decoded.values()).redact(str(error))
        if not isinstance(error, KopsError):
            raise KopsError(message) from error
        error.args = (message,)
        raise


def remove_node(options: Options | None = None, cluster: str = "") -> Report:
    """Take everything that is ours off the node again; with check only say what would be taken.

    What was there before comes back. Packages stay, and without options.wipe also what others made: data of etcd, of
    containers, volumes. cluster: the only one that the machine may be a node of. Raises KopsError.
    """
    options = options or Options()
    nothing = Config(cluster="", instance_group="", role="", architecture="", kubernetes_version="")
    machine = find_machine(options)
    with _locked(machine, options):
        before = record.load(machine.path(record.PATH))
        if cluster and before.cluster not in ("", cluster):
            raise ConfigError([f"the machine is a node of cluster {before.cluster}, not of {cluster}"])
        report = _run(Context(machine, nothing, {}, before), options)
        if not options.check:
            _forget(machine)
            lock.discard(machine.path(lock.PATH))
    return report


def find_machine(options: Options) -> Machine:
    """The machine of a run. Raises ConfigError for a distribution that is not known."""
    path = os.path.join(options.root, "etc/os-release")
    try:
        with open(path, encoding="utf-8") as stream:
            os_release = stream.read()
    except OSError as error:
        raise ConfigError([f"{path}: {error.strerror}, so that the distribution is not known"]) from error
    distribution = find_distribution(os_release)
    if distribution is None:
        raise ConfigError([f"the distribution {describe(os_release) or '(none)'} is not one of {supported()}"])
    return Machine(options.root, options.host, distribution)


def _locked(machine: Machine, options: Options) -> contextlib.AbstractContextManager[None]:
    return lock.held(machine.path(lock.PATH), wait=options.lock_wait, check=options.check)


def _run(context: Context, options: Options) -> Report:
    phases = _look(context, wiping=options.wipe)
    if context.problems:
        raise ConfigError(dict.fromkeys(context.problems))
    steps = [step for phase in phases for step in phase.steps]
    # A run that was broken off has to be finished: what it interrupted waits for that.
    deferred = options.defer and bool(context.before.config) and any(step.interrupts for step in steps)
    if not options.check and not deferred:
        _act(context, phases)
    return Report(context.config.hash, steps, context.warnings, deferred)


def _forget(machine: Machine) -> None:
    """Remove the record, which is empty, and the cache."""
    remove(machine.path(record.PATH))
    fetch.prune(machine.path(fetch.DIRECTORY), ())
    for path in (ORIGINALS, record.DIRECTORY, fetch.DIRECTORY, os.path.dirname(fetch.DIRECTORY)):
        with contextlib.suppress(OSError):  # Somebody else has something in it.
            os.rmdir(machine.path(path))


def _look(context: Context, *, wiping: bool) -> list[Phase]:
    """Every part looks, in the order in which they depend on each other's findings; given back in that of acting."""

    def looked(phase: Phase) -> Phase:
        context.steps += phase.steps
        return phase

    before = [
        looked(plan(context))
        for plan in (
            apt_sources.plan,
            packages.plan,
            users.plan,
            kernel.plan_modules,
            kernel.plan_sysctls,
            volumes.plan,
        )
    ]
    placed = [looked(files.plan(context)), looked(downloads.plan(context))]
    units = Units(context, context.config.units)
    pods = static_pods.plan(context)
    ending = looked(removed.plan_stopped(context))
    wiped = [looked(phase) for phase in (wipe.plan(context) if wiping else ())]
    gone = looked(removed.plan_files(context))
    running = looked(units.plan())
    after = [
        looked(removed.plan_restored(context)),
        looked(images.plan(context)),
        looked(pods),
        looked(users.plan_removed(context)),
    ]
    _look_for_room(context)
    return [*before, ending, *wiped, *placed, gone, running, *after]


def _look_for_room(context: Context) -> None:
    """Find out that the disk is full before anything is done, as far as sizes are known."""
    if not context.config.cluster:  # Taking things away needs none.
        return
    directory = context.path(fetch.DIRECTORY)
    needed = fetch.missing_bytes(context.fetches, directory) + _SPARE
    free = free_space(directory)
    if free < needed and any(step.changed for step in context.steps):
        context.problems.append(
            f"no room: {directory} needs at least {needed >> 20} MiB on its filesystem, which has {free >> 20} MiB left"
        )


def _act(context: Context, phases: list[Phase]) -> None:
    directory = context.path(fetch.DIRECTORY)
    if any(phase.changed for phase in phases):
        context.save()
        for brought in (context.before, context.next):
            for path in (*brought.files, *brought.blocks, *brought.directories):
                discard_temporary(context.path(path))
        if context.fetches:
            context.make_parents(f"{fetch.DIRECTORY}/.")
            context.fetched = fetch.fetch_all(context.fetches, directory, context.retry)
        for phase in phases:
            if phase.changed:
                phase.apply()
    checks.wait(context)
    context.finish()
    fetch.prune(directory, [download.sha256 for download in context.config.downloads])
