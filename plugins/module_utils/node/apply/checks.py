# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health checks at the end of a run, all at once. The error of a failed check contains the end of its log."""

from __future__ import annotations

import glob
import http.client
import os
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Collection

from ...base.errors import KopsError
from ...exchange.items import Check, Log
from ..context import Context
from ..etcd.join import PROMOTION_SECONDS, Joining
from ..system import drop_ins, servers
from ..system.host import last_lines
from ..system.last_words import last_words
from ..system.systemd import LOG_LINES, UnitStatus, journal, show

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 0.2
_TIMEOUT = 5
# Seconds that a unit must be up without a restart to count as healthy.
_STEADY = 2.0
_TAIL = 64 * 1024
_KUBELET, _RUNTIME = "kubelet.service", "containerd.service"
# Lines of the kubelet's log in which a pod is looked for.
_SEARCHED = 400


def wait(context: Context, without: Collection[str] = ()) -> None:
    """Wait until all checks succeed. Raises KopsError that names all checks that fail after their deadlines.

    What comes after one that fails is not waited for any longer.

    Meanwhile etcd learners of this node are promoted. without: names of checks to skip.
    """
    begin, pause = time.monotonic(), _FIRST_PAUSE
    checks = [check for check in context.config.checks if check.name not in without]
    waiting, first = list(checks), len(checks)
    joining = Joining(context.machine.root)
    failures: list[str] = []
    failed: list[Check] = []
    brief = ""
    while waiting or joining.waiting:
        joining.advance()
        states = _unit_states(context, waiting)
        reasons = {check.name: _PROBES[check.kind](context, check, states) for check in waiting}
        waiting = [check for check in waiting if reasons[check.name]]
        passed = time.monotonic() - begin
        for check in [check for check in waiting if passed >= check.deadline]:
            waiting.remove(check)
            failed.append(check)
            first = min(first, checks.index(check))
            failure, words = _failure(context, check, reasons[check.name])
            failures.append(failure)
            brief = brief or words
        if failures:
            # Checks are in the order in which parts depend on each other: without a kubelet, no pod comes.
            waiting = [check for check in waiting if checks.index(check) < first]
        if passed >= PROMOTION_SECONDS:
            failures += joining.give_up()
        if waiting or joining.waiting:
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
    if failures:
        error = KopsError("\n".join([*failures, *(_others(context, failed) if failed else ())]))
        error.brief = brief
        raise error


def _failure(context: Context, check: Check, reason: str) -> tuple[str, str]:
    """What is said of a check that fails: with the end of its log, and in a line with the last words of that."""
    text = f"{check.name} is not healthy after {check.deadline} s: {reason}"
    log, whose = _log(context, check.log), "its log ends"
    if not log and check.log.file:
        # It has not started, and the kubelet says why: there is no such image, or no way to it.
        log, whose = _log_of_kubelet(context, check), "it has no log yet; that of the kubelet ends"
    if not log:
        return text, ""
    return f"{text}\n{whose}:\n{log}", f"{text.splitlines()[0]}; its last words: {last_words(log)}"


def _log_of_kubelet(context: Context, check: Check) -> str:
    """What the kubelet says of a pod, or else all that it says last."""
    lines = journal(context.host, _KUBELET, lines=_SEARCHED).splitlines()
    return last_lines("\n".join([line for line in lines if check.name in line] or lines), LOG_LINES)


def _others(context: Context, failed: Collection[Check]) -> list[str]:
    """Files of others that may be why checks fail: of their own units, and of those that run pods."""
    units = dict.fromkeys([*(check.target for check in failed if check.kind == "unit"), _RUNTIME, _KUBELET])
    return list(filter(None, (drop_ins.explained(context.machine, unit, context.next.files) for unit in units)))


def _log(context: Context, log: Log) -> str:
    if log.unit:
        return journal(context.host, log.unit)
    files = glob.glob(context.path(log.file)) if log.file else []
    if not files:
        return ""
    try:
        with open(max(files, key=os.path.getmtime), "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _TAIL))
            return last_lines(stream.read().decode(errors="replace"), LOG_LINES)
    except OSError:
        return ""


def _unit_states(context: Context, checks: list[Check]) -> dict[str, UnitStatus]:
    return show(context.host, [check.target for check in checks if check.kind == "unit"])


def _probe_unit(context: Context, check: Check, states: dict[str, UnitStatus]) -> str:
    found = states[check.target]
    if found.active != "active":
        return f"{check.target} is {found.active} ({found.sub})"
    since = context.steady.setdefault(check.target, (found.restarts, time.monotonic()))
    if since[0] != found.restarts:
        context.steady[check.target] = (found.restarts, time.monotonic())
        return f"{check.target} keeps restarting, {found.restarts} times so far"
    if check.target in context.restarted and time.monotonic() - since[1] < _STEADY:
        return f"{check.target} has started only now"
    return ""


def _probe_http(context: Context, check: Check, _states: dict[str, UnitStatus]) -> str:
    handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
    try:
        if check.target.startswith("https:"):
            handlers.append(urllib.request.HTTPSHandler(context=_tls(context, check)))
        with urllib.request.build_opener(*handlers).open(check.target, timeout=_TIMEOUT):
            return ""
    except urllib.error.HTTPError as error:
        with error:
            said = last_lines(error.read(4096).decode(errors="replace").strip(), LOG_LINES)
        return f"{check.target} answers {error.code} {error.reason}" + (f"\n{said}" if said else "")
    except (OSError, http.client.HTTPException) as error:
        return f"{check.target}: {getattr(error, 'reason', None) or error or type(error).__name__}"


def _tls(context: Context, check: Check) -> ssl.SSLContext:
    if check.ca:
        tls = ssl.create_default_context(cafile=context.path(check.ca))
    else:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_NONE
    if check.client_certificate:
        key = context.path(check.client_key) if check.client_key else None
        tls.load_cert_chain(context.path(check.client_certificate), key)
    return tls


def _probe_tcp(_context: Context, check: Check, _states: dict[str, UnitStatus]) -> str:
    return servers.refused(check.target)


def _probe_file(context: Context, check: Check, _states: dict[str, UnitStatus]) -> str:
    return "" if os.path.exists(context.path(check.target)) else f"{check.target} does not exist"


_PROBES: dict[str, Callable[[Context, Check, dict[str, UnitStatus]], str]] = {
    "unit": _probe_unit,
    "http": _probe_http,
    "tcp": _probe_tcp,
    "file": _probe_file,
}
