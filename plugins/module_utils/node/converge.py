# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a node equal to its NodeConfig: plans all changes first, then applies them in a fixed order.

Planning writes nothing. Its result is the report, in check mode and otherwise.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import ConfigError, KopsError
from ..base.report import Report
from ..exchange.items import Config
from . import record
from .apply import (
    apt_sources,
    checks,
    deferral,
    downloads,
    files,
    images,
    kernel,
    leftovers,
    packages,
    removed,
    selinux,
    static_pods,
    users,
    volumes,
)
from .apply.units import Units
from .config import read_config, read_secrets
from .context import ORIGINALS, Context, Phase
from .redaction import Redactor
from .system import fetch, lock
from .system.atomic import discard_temporary, free_space, remove
from .system.fetch import RetryPolicy
from .system.host import Host
from .system.machine import Machine, find_machine
from .wipe import wipe

# Free space that must remain besides downloads of known size, for files and for other programs.
_SPARE = 16 << 20


@dataclass(frozen=True)
class Options:
    """Options of a run. root and host: another machine, for tests. lock_wait: in seconds.

    defer: leave out changes that would interrupt a running node, and what belongs to them.
    wipe: when the node is removed, also remove what it created at run time.
    remote_tmp: Ansible's directory for temporary files, where an earlier run may have left secrets.
    """

    check: bool = False
    root: str = "/"
    host: Host = field(default_factory=Host)
    lock_wait: float = 120
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    defer: bool = False
    wipe: bool = False
    remote_tmp: str = ""


def converge(
    config: Any, secrets: Any = None, facts: Mapping[str, Any] | None = None, options: Options | None = None
) -> Report:
    """Make the node equal to a NodeConfig; with options.check only report.

    config: the NodeConfig (schema 1) as plain data. secrets: name -> base64; files refer to these names.
    facts: values of markers that the node cannot find out itself.
    Raises KopsError; ConfigError if nothing was changed because of it. Running again goes on where a run ended.
    """
    options = options or Options()
    decoded = read_secrets(secrets or {})
    redactor = Redactor(decoded.values())
    try:
        machine = find_machine(options.root, options.host)
        with _locked(machine, options):
            before = record.load(machine.path(record.PATH))
            wanted, given = read_config(config, facts or {}, machine, before.facts)
            context = Context(machine, wanted, decoded, before, options.retry)
            redactor = context.redactor
            context.next.facts = given
            context.next.found = before.found if before.cluster else wipe.found_before(machine, wanted.cluster)
            return _run(context, options)
    except (KopsError, OSError) as error:
        message = redactor.redact(str(error))
        if not isinstance(error, KopsError):
            raise KopsError(message) from error
        error.args, error.brief = (message,), redactor.redact(error.brief)
        raise


def remove_node(options: Options | None = None, cluster: str = "") -> Report:
    """Remove everything that is ours from the node; with options.check only report.

    Files and units that existed before are restored. Packages stay. Data of etcd, of containers and of volumes is only
    removed with options.wipe. cluster: error if the machine is a node of another cluster. Raises KopsError.
    """
    options = options or Options()
    nothing = Config(cluster="", instance_group="", role="", architecture="", kubernetes_version="")
    machine = find_machine(options.root, options.host)
    with _locked(machine, options):
        before = record.load(machine.path(record.PATH))
        if cluster and before.cluster not in ("", cluster):
            raise ConfigError([f"the machine is a node of cluster {before.cluster}, not of {cluster}"])
        report = _run(Context(machine, nothing, {}, before), options)
        if not options.check:
            _forget(machine)
            lock.discard(machine.path(lock.PATH))
    return report


def _locked(machine: Machine, options: Options) -> contextlib.AbstractContextManager[None]:
    return lock.held(machine.path(lock.PATH), wait=options.lock_wait, check=options.check)


def _run(context: Context, options: Options) -> Report:
    left = leftovers.plan(context, options.remote_tmp)
    phases = _look(context, wiping=options.wipe)
    if context.problems:
        raise ConfigError(dict.fromkeys(context.problems))
    steps = [step for phase in phases for step in phase.steps] + left.steps
    # An incomplete run is always completed, because programs that it stopped must be started.
    if options.defer and context.before.config and context.config.cluster:
        deferral.defer(context, phases)
    if not options.check:
        left.apply()
        with _environment(context.config.environment):
            _act(context, phases)
    return Report(context.config.hash, steps, context.warnings)


@contextlib.contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Of this process: commands inherit it, and downloads read the proxy from it."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _forget(machine: Machine) -> None:
    """Remove the record, which is empty now, and the cache."""
    remove(machine.path(record.PATH))
    fetch.prune(machine.path(fetch.DIRECTORY), ())
    for path in (ORIGINALS, record.DIRECTORY, fetch.DIRECTORY, os.path.dirname(fetch.DIRECTORY)):
        with contextlib.suppress(OSError):  # Not empty: it has files of another owner.
            os.rmdir(machine.path(path))


def _look(context: Context, *, wiping: bool) -> list[Phase]:
    """Let each part plan, in the order of their dependencies. Returns the phases in the order of applying."""

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
    placed = [looked(files.plan(context)), looked(_waiting(downloads.plan(context)))]
    units = Units(context, context.config.units)
    pods = static_pods.plan(context)
    ending = looked(_waiting(removed.plan_stopped(context)))
    wiped = [looked(phase) for phase in (wipe.plan(context) if wiping else ())]
    gone = looked(_waiting(removed.plan_files(context)))
    running = looked(units.plan())
    after = [
        looked(_waiting(removed.plan_restored(context))),
        looked(_waiting(images.plan(context))),
        looked(pods),
        looked(_waiting(users.plan_removed(context))),
    ]
    _look_for_room(context)
    return [*before, ending, *wiped, *placed, gone, running, *after]


def _waiting(phase: Phase) -> Phase:
    """The phase, whose changes are made together with those that interrupt: programs, and removals."""
    for step in phase.steps:
        step.waits = True
    return phase


def _look_for_room(context: Context) -> None:
    """Report a full disk before anything is changed, as far as sizes are known."""
    if not context.config.cluster:  # Removing needs no space.
        return
    directory = context.path(fetch.DIRECTORY)
    needed = fetch.missing_bytes(context.fetches, directory) + _SPARE
    free = free_space(directory)
    if free < needed and any(step.changed for step in context.steps):
        context.problems.append(
            f"no space: {directory} needs at least {needed >> 20} MiB, and its filesystem has {free >> 20} MiB left"
        )


def _act(context: Context, phases: list[Phase]) -> None:
    directory = context.path(fetch.DIRECTORY)
    if any(phase.due for phase in phases):
        context.save()
        for installed in (context.before, context.next):
            for path in (*installed.files, *installed.blocks, *installed.directories):
                discard_temporary(context.path(path))
        if context.fetches:
            context.make_parents(f"{fetch.DIRECTORY}/.")
            context.fetched = fetch.fetch_all(context.fetches, directory, context.retry)
        for phase in phases:
            if phase.due:
                phase.apply()
                selinux.relabel(context, phase)
    elif context.deferring:
        return
    # The checks are those of the new configuration.
    if not context.deferring:
        checks.wait(context)
    context.finish()
    fetch.prune(directory, [download.sha256 for download in context.config.downloads])
