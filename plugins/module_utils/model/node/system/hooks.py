# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hooks: units that the user gives, of the group before those of the cluster (hooks.go of nodeup).

In kops, nodeup starts them at every boot, whether their units can be enabled or not. Here systemd does, because each
unit is wanted by multi-user.target, and so it keeps their order.
"""

from __future__ import annotations

from ....api.common import ExecContainerAction, HookSpec
from ..context import NodeContext
from ..draft import Draft
from ..systemd import Section, command_line, unit_text, unread_lines

_CTR = ("/usr/bin/ctr", "--namespace", "k8s.io")
_BINDS = (
    "type=bind,src=/,dst=/rootfs,options=rbind:rslave",
    "type=bind,src=/var/run/dbus,dst=/var/run/dbus,options=rbind:rprivate",
    "type=bind,src=/run/systemd,dst=/run/systemd,options=rbind:rprivate",
)
_KEYS = {"name": "name", "content": "manifest"}
_AT_EVERY_BOOT: Section = [("WantedBy", "multi-user.target")]


def build(context: NodeContext, draft: Draft) -> None:
    """A unit for each hook of the role; one of the group stands for the cluster's of the same name."""
    taken: set[str] = set()
    own = str(context.group.metadata.name)
    for hooks, suffix, group in ((context.group.spec.hooks, "-ig", own), (context.cluster.spec.hooks, "", "")):
        of_role = [pair for pair in enumerate(hooks) if not pair[1].roles or context.role in pair[1].roles]
        for number, (index, hook) in enumerate(of_role):
            name = hook.name or f"kops-hook-{number}{suffix}"
            if name in taken:
                continue
            taken.add(name)
            with draft.asked_by(f"spec.hooks[{index}]", group, _KEYS):
                _add(draft, name, hook)


def _add(draft: Draft, name: str, hook: HookSpec) -> None:
    for line in unread_lines(hook.manifest or "") if hook.enabled is not False else ():
        draft.refuse(f"{line!r} is no line of a unit: these are name=value, [section], and comments", "content")
    if hook.enabled is False:
        draft.unit(name, enabled=False, state="stopped")
    elif hook.manifest or (hook.exec_container and (hook.exec_container.image or "").strip()):
        draft.unit(name, _unit(name, hook))


def _unit(name: str, hook: HookSpec) -> str:
    if hook.use_raw_manifest:
        return f"{hook.manifest or ''}\n{unit_text({'Install': _AT_EVERY_BOOT})}"
    unit = [("Description", f"Kops Hook {name}")]
    unit += [("Requires", other) for other in hook.requires] + [("Before", other) for other in hook.before]
    if hook.exec_container is None:
        return unit_text({"Unit": unit, "Service": hook.manifest or "", "Install": _AT_EVERY_BOOT})
    return unit_text(
        {
            "Unit": [*unit, ("Requires", "containerd.service")],
            "Service": _container_service(name, hook.exec_container),
            "Install": _AT_EVERY_BOOT,
        }
    )


def _container_service(name: str, action: ExecContainerAction) -> Section:
    image = (action.image or "").strip()
    image = image if "/" in image else f"docker.io/library/{image}"
    image = image if ":" in image else f"{image}:latest"
    run = [*_CTR, "run", "--rm"]
    for bind in _BINDS:
        run += ["--mount", bind]
    run += ["--net-host", "--privileged"]
    for variable in sorted(action.environment):
        run += ["--env", f"{variable}={action.environment[variable]}"]
    return [
        ("ExecStartPre", command_line([*_CTR, "image", "pull", image])),
        ("ExecStart", command_line([*run, image, name, *action.command])),
        ("Type", "oneshot"),
    ]
