# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a command of the documentation can be what a user types: programs, playbooks, options and variables exist.

Every program that the documentation calls is in one of two tables: PROOFS, or FOREIGN with the reason why nothing is
known of it here.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import re
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.parsing.splitter import parse_kv
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.checks import PREFIX, Given, problems_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.kops_verbs import VERBS
from ansible_collections.kubeops.kops.tests.documented.shell import Command

COLLECTION = "kubeops.kops."
# A page may show what is said of wrong variables.
_WRONG_VARIABLES = "wrong variables for"
# Programs that are not the project's -> why their commands are not run here.
FOREIGN = {
    "ansible-builder": "builds an image of a container; tests/gates/test_awx.py makes what it builds from",
    "aws": "the client of AWS, which needs another botocore and another docutils than all else here",
    "cd": "a part of the shell",
    "curl": "asks a server of the user's",
    "eval": "a part of the shell; the command inside of it is looked at by itself",
    "gcloud": "the client of Google Cloud, which no registry of packages has",
    "git": "fetches the project itself",
    "grep": "a filter of the shell",
    "journalctl": "the journal of a node; the lab's tests read the same units",
    "openstack": "OpenStack's own client; tests/integration/test_swift_store.py makes the same by its library",
    "jq": "a filter of what kubectl prints",
    "kubectl": "asks a running cluster; the lab has those",
    "pip": "installs from a registry; script/setup and script/release do so with the same names",
    "podman": "a container engine of the user's",
    "sed": "a filter of the shell",
    "sha256sum": "a filter of the shell",
    "tar": "reads an archive",
    "terraform": "tests/integration/test_terraform.py runs it where it is installed",
}


def problems(command: Command) -> list[str]:
    """What is wrong with a command, a line each; also that nothing is known of its program."""
    if command.program in FOREIGN:
        return []
    proof = PROOFS.get(command.program, _of_script if command.program.startswith("script/") else None)
    if proof is None:
        return [f"{command.program} is in no table of tests/documented/proofs.py"]
    return list(proof(command))


def playbook_of(command: Command) -> str:
    """The playbook of the collection that a command of ansible-playbook runs; "" if it is one of the user's own."""
    (name,) = parsed(command).args
    return name.removeprefix(COLLECTION) if name.startswith(COLLECTION) else ""


def extra_variables(command: Command) -> dict[str, Any]:
    """The variables that a command of ansible-playbook sets by -e."""
    found: dict[str, Any] = {}
    for text in parsed(command).extra_vars:
        found.update(parse_kv(text))
    return found


@functools.cache
def parsed(command: Command) -> Any:
    """The options of a program of Ansible. Raises ValueError with what its own parser says against them."""
    module, name = _CLASSES[command.program]
    line: Any = getattr(importlib.import_module(f"ansible.cli.{module}"), name)([*command.words])
    line.init_parser()
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return line.parser.parse_args([*command.words[1:]])
    except SystemExit as error:
        raise ValueError(said.getvalue().strip().rpartition("error: ")[2]) from error


_CLASSES = {
    "ansible": ("adhoc", "AdHocCLI"),
    "ansible-doc": ("doc", "DocCLI"),
    "ansible-galaxy": ("galaxy", "GalaxyCLI"),
    "ansible-inventory": ("inventory", "InventoryCLI"),
    "ansible-playbook": ("playbook", "PlaybookCLI"),
}


def _of_options(command: Command) -> Iterator[str]:
    try:
        parsed(command)
    except ValueError as error:
        yield str(error)


def _of_playbook(command: Command) -> Iterator[str]:
    refused = [*_of_options(command)]
    if refused:
        yield from refused
        return
    name = playbook_of(command)
    if not name:
        if not re.fullmatch(r"[\w/-]+\.ya?ml", parsed(command).args[0]):
            yield f"{parsed(command).args[0]} is neither a playbook of the collection nor a file"
    elif name not in playbooks():
        yield f"there is no playbook {name}"
    else:
        given = {key: value for key, value in extra_variables(command).items() if key.startswith(PREFIX)}
        found = problems_of(name, Given(given))
        told = [line.strip().strip('",') for line in command.shown if line.strip().startswith(f'"{PREFIX}')]
        if any(_WRONG_VARIABLES in line for line in command.shown):
            yield from () if found == told else (f"the page says {told}, and it is {found}",)
        else:
            # What is set in the inventory or the environment is not on the command line.
            yield from (problem for problem in found if ": must be set:" not in problem)


def _of_adhoc(command: Command) -> Iterator[str]:
    refused = [*_of_options(command)]
    if refused:
        yield from refused
        return
    options = parsed(command)
    if options.module_name.startswith(COLLECTION):
        name = options.module_name.removeprefix(COLLECTION)
        if not (ROOT / "plugins" / "modules" / f"{name}.py").exists():
            yield f"there is no module {name}"
            return
        module: Any = importlib.import_module(f"ansible_collections.kubeops.kops.plugins.modules.{name}")
        yield from ArgumentSpecValidator(module.ARGUMENTS).validate(parse_kv(options.module_args)).error_messages


def _of_export(command: Command) -> Iterator[str]:
    for word in command.words[1:]:
        name = word.partition("=")[0]
        if name not in _names_of_environment():
            yield f"nothing reads the variable {name} of the environment"


@functools.cache
def _names_of_environment() -> frozenset[str]:
    """Words in capitals of the collection's code: among them are all variables of the environment that it reads."""
    files = [path for folder in ("plugins", "playbooks", "tests/lab") for path in (ROOT / folder).rglob("*")]
    texts = (path.read_text(encoding="utf-8") for path in files if path.suffix in (".py", ".yml"))
    return frozenset(name for text in texts for name in re.findall(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", text))


def _of_kops(command: Command) -> Iterator[str]:
    verbs = {verb.removeprefix("kops ") for verb in VERBS}
    words = [word for word in command.words[1:] if not word.startswith("-")]
    if not {" ".join(words[:count]) for count in (1, 2, 3, 4)} & verbs:
        yield f"kops has no verb {' '.join(words)}"


def _of_script(command: Command) -> Iterator[str]:
    """Scripts exist, and their help, or else the comment at their head, has each word and each option."""
    path = ROOT / command.program
    if not path.is_file():
        yield f"there is no {command.program}"
        return
    words = _own_words(command)
    # What follows an option may be its value.
    after = [word for before, word in zip(words, words[1:]) if before.startswith("--")]
    subcommands = [word for word in words if re.fullmatch(r"[a-z]+", word) and word not in after]
    known = _help(command.program, tuple(subcommands[: _DEPTHS.get(command.program, 0)]))
    for word in words:
        if (word in subcommands or word.startswith("-")) and not re.search(rf"(?<![\w-]){word}(?![\w-])", known):
            yield f"{command.program} does not know {word}"


# Scripts whose words have a help of their own -> how many words are the names of such.
_DEPTHS = {"script/lab": 2}
# Words of scripts after which another program is called.
_PASSED_ON = ("shell", "molecule", "kubectl", "--pytest")


def _own_words(command: Command) -> list[str]:
    words = list(command.words[1:])
    ends = [words.index(word) + 1 for word in _PASSED_ON if word in words]
    return words[: min(ends, default=len(words))]


@functools.cache
def _help(script: str, subcommands: tuple[str, ...]) -> str:
    head = "".join(re.findall(r"^#.*\n", (ROOT / script).read_text(encoding="utf-8"), re.MULTILINE))
    said = "".join(_help_of(script, subcommands[:count]) for count in range(len(subcommands) + 1))
    return head + said


@functools.cache
def _help_of(script: str, subcommands: tuple[str, ...]) -> str:
    """What a program says of itself, or of a subcommand; "" if it has no help there."""
    if script not in _MODULES:
        return ""
    said = io.StringIO()
    arguments, sys.argv = sys.argv, [script, *subcommands, "--help"]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_module(f"ansible_collections.kubeops.kops.{_MODULES[script]}.__main__", run_name="__main__")
    except SystemExit as error:
        return said.getvalue() if error.code in (None, 0) else ""
    finally:
        sys.argv = arguments
    raise AssertionError(f"{script} does more than to show its help")


# Scripts -> the module with their command line.
_MODULES = {
    "script/golden": "tests.golden",
    "script/lab": "tests.lab",
    "script/module-docs": "tests.module_docs",
    "script/playbook-docs": "tests.playbook_docs",
    "script/release": "tests.release",
}

PROOFS: Mapping[str, Callable[[Command], Iterator[str]]] = {
    "ansible": _of_adhoc,
    "ansible-doc": _of_options,
    "ansible-galaxy": _of_options,
    "ansible-inventory": _of_options,
    "ansible-playbook": _of_playbook,
    "export": _of_export,
    "kops": _of_kops,
}
