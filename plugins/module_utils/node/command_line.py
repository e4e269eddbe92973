# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of the node program, for nodes that boot without a controller.

kops-node converge --config FILE [--secrets FILE] [--facts FILE] [--check] [--json]
kops-node remove [--check] [--json]
kops-node observe [--config FILE]
kops-node boot [--config FILE] [--check] [--json] [--once]
kops-node renew [--config FILE] [--check] [--json] [--once]
kops-node serve [--config FILE]
kops-node etcd-names [--config FILE]
kops-node etcd-backups [--config FILE]
kops-node controllers [--config FILE]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import ConfigError, KopsError
from ..base.report import Report
from ..exchange.settings import (
    BOOT_FILE,
    BootstrapServerSettings,
    ControllersSettings,
    EtcdBackupsSettings,
    EtcdNamesSettings,
)
from .boot.etcd_backups import keep_backups
from .boot.etcd_names import keep_names
from .boot.renew import PATIENCE, renew
from .boot.run import boot
from .bootstrap.serve import serve
from .controllers.manager import run_controllers
from .converge import Options, converge, remove_node
from .observe import observe
from .system.host import Host
from .system.json_files import read_json
from .system.machine import find_machine
from .system.waiting import Patience, say

# Exit codes: REFUSED if nothing was changed, FAILED if the node may be changed in part.
REFUSED, FAILED = 2, 1
# Units run these, too. What units say is looked for in journals and on consoles, and known by how it begins.
_BOOTS = ("boot", "renew")
# What units run: file of the configuration, subject, function.
_SERVICES: dict[str, tuple[str, str, Callable[[str], None]]] = {
    "serve": (BootstrapServerSettings.FILE, "be the bootstrap server of a control plane", serve),
    "etcd-names": (EtcdNamesSettings.FILE, "keep the addresses of etcd's members in a file", keep_names),
    "etcd-backups": (
        EtcdBackupsSettings.FILE,
        "back up etcd on schedule, and restore it when ordered",
        keep_backups,
    ),
    "controllers": (
        ControllersSettings.FILE,
        "run the controllers of a cluster when it is this node's turn",
        run_controllers,
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit code."""
    given = _parser().parse_args(arguments)
    is_unit = given.command in (*_BOOTS, *_SERVICES)
    try:
        sys.stdout.write(_run(given))
    except KopsError as error:
        if is_unit:
            say(str(error))
        else:
            sys.stderr.write(f"kops-node: {error}\n")
        return REFUSED if isinstance(error, ConfigError) else FAILED
    except Exception as error:
        if is_unit:
            say(f"the node program has a fault: {type(error).__name__}: {error}")
        raise
    return 0


def _run(given: argparse.Namespace) -> str:
    """Run the command. Returns the text to print."""
    if given.command == "observe":
        certificates = _read(given.config).get("certificates", ())
        return json.dumps(observe(find_machine(given.root, Host(given.root)), certificates), indent=1) + "\n"
    if given.command in _SERVICES:
        _file, _about, run = _SERVICES[given.command]
        run(given.config)
        return ""
    options = Options(check=given.check, root=given.root, host=Host(given.root))
    if given.command == "converge":
        report = converge(_read(given.config), _read(given.secrets), _read(given.facts), options)
    elif given.command == "boot":
        report = boot(given.config, options, Patience(attempts=1 if given.once else 0))
    elif given.command == "renew":
        report = renew(given.config, options, dataclasses.replace(PATIENCE, attempts=1 if given.once else 0))
    else:
        report = remove_node(dataclasses.replace(options, wipe=given.wipe))
    return json.dumps(report.as_dict(), indent=1) + "\n" if given.json else _readable(report, given.check)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kops-node", description="Make this machine equal to its NodeConfig.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (
        ("converge", "make the machine equal to a NodeConfig"),
        ("remove", "remove everything from the machine that converge installed"),
        ("observe", "print the state of the machine"),
        ("boot", "become the node that user data describes"),
        ("renew", "renew the certificates of the node that user data describes, if they end soon"),
    ):
        command = commands.add_parser(name, help=about)
        command.add_argument("--root", default="/", help=argparse.SUPPRESS)
        if name in _BOOTS:
            command.add_argument("--config", default=BOOT_FILE, help="file that user data has written")
            command.add_argument("--once", action="store_true", help="end where something is missing, do not wait")
        elif name != "remove":
            command.add_argument("--config", required=name == "converge", help="file of the NodeConfig")
        if name == "remove":
            command.add_argument(
                "--wipe", action="store_true", help="also remove what the node created at run time: pods, data, logs"
            )
        if name == "converge":
            command.add_argument("--secrets", help="file of secrets: a JSON object, name to base64")
            command.add_argument("--facts", help="file of facts that the machine cannot find out itself")
        if name != "observe":
            command.add_argument("--check", action="store_true", help="change nothing, only report")
            command.add_argument("--json", action="store_true", help="print the whole report")
    for name, (file, about, _run_it) in _SERVICES.items():
        command = commands.add_parser(name, help=about)
        command.add_argument("--config", default=file, help="file of its configuration")
    return parser


def _read(path: str | None) -> Any:
    return {} if path is None else read_json(path)


def _readable(report: Report, check: bool) -> str:
    warnings = [f"warning: {warning}\n" for warning in report.warnings]
    items = [f"{'would change' if check else 'changed'} {step.item}\n" for step in report.steps if step.changed]
    return "".join(warnings + items) or "nothing to change\n"
