# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel modules and sysctls: of the running kernel, and at the next boot."""

from __future__ import annotations

import glob
import os
import posixpath
from collections.abc import Iterable

from ...base.errors import KopsError
from ...base.report import Step
from ...exchange.items import File, KernelModule, Sysctl
from ..context import Context, Phase
from ..system.machine import Machine
from .files import plan_file

MODULES_FILE = "/etc/modules-load.d/kops.conf"
# kops' file name. It sorts late, so it overrides the distribution's files.
SYSCTLS_FILE = "/etc/sysctl.d/99-k8s-general.conf"
# Modules that networks of pods load themselves, so that a NodeConfig does not contain them.
NETWORK_MODULES = (
    *("dummy", "esp4", "geneve", "ip_set", "ip_set_hash_ip", "ip_vs", "ip_vs_rr", "ipip", "nf_tables"),
    *("nfnetlink_queue", "tun", "vxlan", "wireguard", "xfrm_algo", "xfrm_user", "xt_set"),
)
# Filesystems that networks of pods mount; no module adds them to a kernel.
NETWORK_FILESYSTEMS = ("bpf", "cgroup2")
_HEADER = "# Kept by kops.\n"
_SETTINGS = "/proc/sys/"
_SWAPPED = str.maketrans("./", "/.")


def plan_modules(context: Context) -> Phase:
    """Plan modules to load."""
    modules = context.config.kernel_modules
    if not modules:
        return Phase()
    loaded = _loaded(context)
    steps = [_plan_module(context, module, loaded) for module in modules]
    there = [module.name for module, step in zip(modules, steps) if step is not None]
    content = _HEADER + "".join(f"{name}\n" for name in there)
    return Phase([*filter(None, steps), plan_file(context, File(path=MODULES_FILE, content=content))])


def plan_sysctls(context: Context) -> Phase:
    """Plan sysctls. Those that are no longer configured get their original values back."""
    sysctls = context.config.sysctls
    steps = []
    wanted = set()
    for sysctl in sysctls:
        paths = _paths(context, sysctl)
        wanted.update(paths)
        steps += [_plan_setting(context, sysctl, path) for path in paths]
        if not paths and "*" not in sysctl.key:
            steps += _plan_missing(context, sysctl)
    for path, value in context.before.sysctls.items():
        if path not in wanted and os.path.exists(context.path(path)):
            steps.append(_step(context, Sysctl(key=_key(path), value=value), path))
    if sysctls:
        content = _HEADER + "".join(f"{each.key} = {each.value}\n" for each in sysctls)
        steps.append(plan_file(context, File(path=SYSCTLS_FILE, content=content)))
    return Phase(steps)


def missing_modules(machine: Machine, names: Iterable[str]) -> list[str]:
    """Those of the modules that the running kernel cannot have. None if there is no list of what it has.

    Reads files only. Distributions have some modules in a package of their own, and minimal kernels have not all.
    """
    directory = f"/lib/modules/{machine.host.kernel()}"
    if not os.path.exists(machine.path(f"{directory}/modules.builtin")):
        return []
    loadable = machine.read_text(f"{directory}/modules.dep").splitlines()
    known = _loaded(machine) | {_module_of(line.partition(":")[0]) for line in loadable}
    return [name for name in names if name not in known and not _is_there(machine, name)]


def missing_filesystems(machine: Machine, names: Iterable[str]) -> list[str]:
    """Those of the filesystems that the running kernel does not know. None if there is no list of what it knows."""
    known = {line.split()[-1] for line in machine.read_text("/proc/filesystems").splitlines() if line.strip()}
    return [name for name in names if known and name not in known]


def _loaded(machine: Machine | Context) -> set[str]:
    """Modules that are loaded or built in."""
    loaded = {line.split(" ", 1)[0] for line in machine.read_text("/proc/modules").splitlines()}
    built_in = machine.read_text(f"/lib/modules/{machine.host.kernel()}/modules.builtin").splitlines()
    return loaded | set(map(_module_of, built_in))


def _module_of(path: str) -> str:
    """The name of the module in a file, such as kernel/net/ipv4/ipip.ko.zst."""
    return _plain(posixpath.basename(path).partition(".ko")[0])


def _is_there(machine: Machine | Context, name: str) -> bool:
    return os.path.isdir(machine.path(f"/sys/module/{_plain(name)}"))


def _plan_module(context: Context, module: KernelModule, loaded: set[str]) -> Step | None:
    """None for a module that the kernel does not have and that is not required."""
    step = Step(module.label)
    if _plain(module.name) in loaded or _is_there(context, module.name):
        return step
    outcome = context.host.run("modprobe", "--dry-run", "--", module.name)
    if outcome.code != 0:
        message = f"{module.label}: the kernel {context.host.kernel()} has no such module"
        (context.problems if module.required else context.warnings).append(message)
        return None
    step.changed, step.before, step.after = True, None, "loaded"
    step.act = lambda: _load(context, module)
    return step


def _load(context: Context, module: KernelModule) -> None:
    context.host.check_output("modprobe", "--", module.name)


def _plain(name: str) -> str:
    return name.replace("-", "_")


def _paths(context: Context, sysctl: Sysctl) -> list[str]:
    """Files of a sysctl below /proc/sys: several for a pattern, none if the kernel does not have it."""
    root = context.path("/")
    return sorted("/" + os.path.relpath(each, root) for each in glob.glob(context.path(_path(sysctl.key))))


def _path(key: str) -> str:
    # As sysctl(8): the separator is whichever of . and / comes first, so the other one can be a part of a name.
    first = next((sign for sign in key if sign in "./"), ".")
    return _SETTINGS + (key if first == "/" else key.translate(_SWAPPED))


def _key(path: str) -> str:
    return path[len(_SETTINGS) :].translate(_SWAPPED)


def _plan_setting(context: Context, sysctl: Sysctl, path: str) -> Step:
    step = _step(context, sysctl, path)
    if step.changed or path in context.before.sysctls:
        context.next.sysctls[path] = context.before.sysctls.get(path, str(step.before))
    return step


def _plan_missing(context: Context, sysctl: Sysctl) -> list[Step]:
    """A sysctl that does not exist, unless a module of this run will create it."""
    if not context.changes(["module"]):
        message = f"{sysctl.label}: the kernel has no such setting"
        (context.problems if sysctl.required else context.warnings).append(message)
        return []
    step = Step(sysctl.label, True, None, sysctl.value)
    step.act = lambda: _set_new(context, step, sysctl)
    return [step]


def _set_new(context: Context, step: Step, sysctl: Sysctl) -> None:
    """Set a sysctl that a module of this run has created; its original value is only known now."""
    path = _path(sysctl.key)
    if os.path.exists(context.path(path)):
        context.next.sysctls[path] = " ".join(context.read_text(path).split())
        context.save()
    _set(context, step, sysctl, path)


def _step(context: Context, sysctl: Sysctl, path: str) -> Step:
    now = " ".join(context.read_text(path).split())
    step = Step(f"sysctl:{_key(path)}")
    step.changed = now != " ".join(sysctl.value.split()) and _is_writable(context, step, sysctl, path)
    if step.changed:
        step.before, step.after = now, sysctl.value
        step.act = lambda: _set(context, step, sysctl, path)
    return step


def _is_writable(context: Context, step: Step, sysctl: Sysctl, path: str) -> bool:
    """Whether the sysctl can be written: in a container some are read-only. Opening the file changes nothing."""
    try:
        os.close(os.open(context.path(path), os.O_WRONLY))
    except OSError as error:
        message = f"{step.item} cannot be set to {sysctl.value!r}: {error.strerror}"
        (context.problems if sysctl.required else context.warnings).append(message)
        return False
    return True


def _set(context: Context, step: Step, sysctl: Sysctl, path: str) -> None:
    try:
        with open(context.path(path), "r+", encoding="utf-8") as stream:
            # The kernel ignores an empty text, but takes an empty line for no value: ip_local_reserved_ports.
            stream.write(f"{sysctl.value}\n")
            stream.truncate()
    except OSError as error:
        message = f"{step.item} cannot be set to {sysctl.value!r}: {error.strerror}"
        if sysctl.required:
            raise KopsError(message) from error
        context.warnings.append(message)
        step.changed = False
