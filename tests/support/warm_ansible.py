# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible, ansible-playbook and modules as forks of a process that has loaded Ansible, the collection and AWS' SDK.

Loading them is more than half of the CPU time of most runs. Everything else is as in a process of its own: arguments,
environment, working directory, output and exit code. Ansible reads its own settings when it is loaded, so there is a
process for each set of them; and another one for modules, which know nothing of the controller.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pathlib
import runpy
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

# What is loaded before the first run: of Ansible, what it loads when it runs a play.
_PROGRAMS = ("ansible.cli.adhoc", "ansible.cli.playbook", "ansible.executor.playbook_executor")
# Kinds of plugins, with the names of those that plays use; all that there are, if none is named.
_PLUGINS: dict[str, tuple[str, ...]] = {
    "action": ("ansible.builtin.assert", "ansible.builtin.debug"),
    "become": (),
    "callback": (),
    "connection": (),
    "filter": (),
    "inventory": (),
    "shell": (),
    "strategy": ("ansible.builtin.linear",),
    "test": (),
    "vars": (),
}
_PACKAGE = "ansible_collections.kubeops.kops"
_WARM_COLLECTION = f"{_PACKAGE}.tests.support.warm_collection"
_ROOT = pathlib.Path(__file__).resolve().parents[2]
# Files of settings, which count in a directory, and variables that Ansible and Python read when they start.
_SETTINGS_FILE = "ansible.cfg"
_READ_AT_START = ("ANSIBLE_", "PYTHON", "LC_", "LANG")
# But for these, which differ between tests: the first is set in each run, callbacks read the other one by themselves.
_INVENTORY = "ANSIBLE_INVENTORY"
_OF_A_RUN = (_INVENTORY, "ANSIBLE_CALLBACK_RESULT_FORMAT")
_LONGEST_REQUEST = 1 << 20
# Python's own number is 700.
_OBJECTS_UNTIL_COLLECTION = 100_000
# In the environment of a run, for the process that makes it.
_MODULES_IN_FORKS = "WARM_ANSIBLE_MODULES_IN_FORKS"


def run(
    command: Sequence[str],
    *,
    directory: str | os.PathLike[str],
    environment: Mapping[str, str],
    modules_in_forks: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run ansible, ansible-playbook or a module's file to its end; stdout is its standard output and error.

    modules_in_forks: a module that is piped to Python on this machine runs in a fork, which has Ansible loaded, too.
    """
    assert not pathlib.Path(directory, _SETTINGS_FILE).exists(), "Ansible's settings are read before it is there"
    program = command[0] if _is_module(command) else shutil.which(command[0], path=environment.get("PATH"))
    assert program, f"{command[0]} is not in the environment's PATH"
    settings = {
        name: value for name, value in environment.items() if name.startswith(_READ_AT_START) and name not in _OF_A_RUN
    }
    process = _process("modules" if _is_module(command) else "programs", tuple(sorted(settings.items())))
    if modules_in_forks:
        environment = {**environment, _MODULES_IN_FORKS: "1"}
    code, output = process.run([program, *command[1:]], str(directory), environment)
    return subprocess.CompletedProcess(command, code, output)


def _is_module(command: Sequence[str]) -> bool:
    return command[0].endswith(".py")


class _Process:
    """The process that has loaded everything; it ends with this one."""

    def __init__(self, kind: str, settings: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST_REQUEST)
        others = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", *_READ_AT_START))}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, kind, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env={**others, **settings},
                cwd="/",
                stdin=subprocess.DEVNULL,
            )

    def run(self, command: Sequence[str], directory: str, environment: Mapping[str, str]) -> tuple[int, str]:
        request = json.dumps([list(command), directory, dict(environment)]).encode()
        reader, writer = os.pipe()
        with self._lock, os.fdopen(reader, "rb") as stream:
            with os.fdopen(writer, "wb"):
                rights = array.array("i", [writer])
                self._socket.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            output = stream.read()
            answer = self._socket.recv(64)
        assert answer, "the process that has loaded Ansible has ended"
        return int(answer), output.decode(errors="replace")


@functools.cache
def _process(kind: str, settings: tuple[tuple[str, str], ...]) -> _Process:
    return _Process(kind, dict(settings))


# -- the process ------------------------------------------------------------------------------------------------------


def _load_programs() -> None:
    for name in _PROGRAMS:
        importlib.import_module(name)
    plugins = importlib.import_module("ansible.plugins.loader")
    plugins.init_plugin_loader()
    own = [f"kubeops.kops.{path.stem}" for path in sorted((_ROOT / "plugins" / "action").glob("[a-z]*.py"))]
    for kind, names in {**_PLUGINS, "action": (*_PLUGINS["action"], *own)}.items():
        loader = getattr(plugins, f"{kind}_loader")
        found = [loader.get(name, class_only=True) for name in names] or [*loader.all(class_only=True)]
        assert all(found), f"{kind}: {names}"
    importlib.import_module(_WARM_COLLECTION).load("plugin_utils")


def _load_modules() -> None:
    importlib.import_module(_WARM_COLLECTION).load("modules")


def _serve(requests: socket.socket) -> None:
    """Answer requests with exit codes, one after the other, until nobody asks any more."""
    while True:
        request, rights, _flags, _address = requests.recvmsg(_LONGEST_REQUEST, socket.CMSG_SPACE(4))
        if not request:
            return
        (output,) = array.array("i", rights[0][2])
        pid = os.fork()
        if pid == 0:
            requests.close()
            command, directory, environment = json.loads(request)
            _become(command, directory, environment, output)
            _end(_code_of(functools.partial(_run, command)))
        os.close(output)
        requests.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def _run(command: Sequence[str]) -> None:
    if _is_module(command):
        runpy.run_path(command[0], run_name="__main__")
    else:
        _main(command)


def _code_of(program: Callable[[], object]) -> int:
    """The exit code of a program, as Python gives it."""
    try:
        program()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _end(code: int) -> NoReturn:
    """End as Python does, but leave to the system what was loaded: to take it apart copies the memory of a fork."""
    end_threads: Callable[[], None] = vars(threading)["_shutdown"]
    end_threads()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _become(command: Sequence[str], directory: str, environment: Mapping[str, str], output: int) -> None:
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    sys.argv = [*command]


def _main(command: Sequence[str]) -> None:
    from ansible import constants
    from ansible.config.manager import ensure_type
    from ansible.utils.path import cleanup_tmp_file

    # The directory of this run, instead of that of the process that it is a fork of.
    atexit.unregister(cleanup_tmp_file)
    settings: Any = constants
    settings.DEFAULT_LOCAL_TMP = ensure_type(os.path.dirname(settings.DEFAULT_LOCAL_TMP), "tmppath")
    if _INVENTORY in os.environ:
        settings.DEFAULT_HOST_LIST = ensure_type(os.environ[_INVENTORY], "pathlist")
    if os.environ.pop(_MODULES_IN_FORKS, ""):
        _run_modules_in_forks()
    warnings.filterwarnings("ignore", "AnsibleCollectionFinder has already been configured")
    name = os.path.basename(command[0]).partition("-")[2] or "adhoc"
    sys.exit(importlib.import_module(f"ansible.cli.{name}").main([*command]))


def _run_modules_in_forks() -> None:
    from ansible.plugins.loader import connection_loader

    local: Any = connection_loader.get("ansible.builtin.local", class_only=True)
    started = local.exec_command

    def exec_command(
        connection: Any, cmd: str, in_data: bytes | None = None, sudoable: bool = True
    ) -> tuple[int, bytes, bytes]:
        piped = in_data and cmd == f"/bin/sh -c '{sys.executable} && sleep 0'"
        return _in_fork(in_data) if in_data and piped else started(connection, cmd, in_data, sudoable)

    local.exec_command = exec_command


def _in_fork(program: bytes) -> tuple[int, bytes, bytes]:
    """Run what Ansible makes of a module. Returns its exit code, output and errors."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        pid = os.fork()
        if pid == 0:
            _end(_code_of(functools.partial(_run_program, program, output.fileno(), errors.fileno())))
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        output.seek(0)
        errors.seek(0)
        return code, output.read(), errors.read()


def _run_program(program: bytes, output: int, errors: int) -> None:
    from ansible.module_utils import _internal

    for number, name in ((output, "stdout"), (errors, "stderr")):
        setattr(sys, name, os.fdopen(number, "w"))
    # What Ansible does at its end is not the module's.
    atexit._clear()
    # A module's warnings are part of its result; the controller shows its own.
    _internal.is_controller = False
    sys.argv = [""]
    exec(compile(program, "<stdin>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[2])) as given, contextlib.suppress(KeyboardInterrupt):
        {"programs": _load_programs, "modules": _load_modules}[sys.argv[1]]()
        for name in (f"{_PACKAGE}.tests.support.warm_sdk", _WARM_COLLECTION, "cryptography.x509"):
            importlib.import_module(name)
        importlib.import_module(f"{_PACKAGE}.tests.support.known_keys").take_keys_from_pool()
        # A run need not look for garbage among all this, and makes little itself.
        gc.freeze()
        gc.set_threshold(_OBJECTS_UNTIL_COLLECTION)
        _serve(given)
