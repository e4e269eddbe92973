# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups and users. Those that we created are removed when they are no longer configured; others stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.report import Step
from ...exchange.items import Group, User
from ..context import Context, Phase
from ..system.accounts import read_accounts


def plan(context: Context) -> Phase:
    """Plan groups, then users."""
    steps = [_plan_group(context, group) for group in context.config.groups]
    steps += [_plan_user(context, user) for user in context.config.users]

    def act() -> None:
        for step in steps:
            if step.changed and step.act:
                step.act()
        context.accounts = read_accounts(context.machine)

    return Phase(steps, act)


def plan_removed(context: Context) -> Phase:
    """Plan the removal of users and groups of ours that are no longer configured."""
    steps = _plan_returned(context)
    for kind, command, mine, wanted, known in (
        ("user", "userdel", context.before.users, context.next.users, context.accounts.users),
        ("group", "groupdel", context.before.groups, context.next.groups, context.accounts.groups),
    ):
        steps += [
            Step(f"{kind}:{name}", True, "present", None, _deleter(context, command, name))
            for name in mine
            if name not in wanted and name in known
        ]
    return Phase(steps)


def _plan_returned(context: Context) -> list[Step]:
    """Users and groups of others become what they were before."""
    there = {
        *(f"user:{name}" for name in context.accounts.users),
        *(f"group:{name}" for name in context.accounts.groups),
    }
    return [
        Step(label, True, None, "as it was before", _runner(context, command))
        for label, command in context.before.accounts.items()
        if label in there and label not in context.next.accounts
    ]


def _runner(context: Context, command: list[str]) -> Callable[[], None]:
    def run() -> None:
        context.host.check_output(*command)

    return run


def _deleter(context: Context, command: str, name: str) -> Callable[[], None]:
    def delete() -> None:
        # userdel also removes the group of the same name, unless it has other members.
        if command != "groupdel" or name in read_accounts(context.machine).groups:
            context.host.check_output(command, name)

    return delete


def _plan_group(context: Context, group: Group) -> Step:
    step = Step(group.label)
    gid = context.accounts.groups.get(group.name)
    options = ["--gid", str(group.gid)] if group.gid is not None else []
    ours = gid is None or group.name in context.before.groups
    if ours:
        context.next.groups.append(group.name)
    if gid is None:
        _change(context, step, None, {"gid": group.gid}, ["groupadd", *(options or ["--system"]), group.name])
    elif group.gid not in (None, gid):
        _change(context, step, {"gid": gid}, {"gid": group.gid}, ["groupmod", *options, group.name])
    if not ours:
        _keep(context, step, ["groupmod", "--gid", str(gid), group.name])
    return step


def _plan_user(context: Context, user: User) -> Step:
    step = Step(user.label)
    found = context.accounts.users.get(user.name)
    member_of = context.accounts.groups_of(user.name)
    ours = found is None or user.name in context.before.users
    if ours:
        context.next.users.append(user.name)
    # property -> (wanted, present, option of useradd and usermod)
    properties: dict[str, tuple[Any, Any, str]] = {
        "uid": (user.uid, found and found.uid, "--uid"),
        "group": (user.group or None, found and context.accounts.group_name(found.gid), "--gid"),
        "home": (user.home or None, found and found.home, "--home-dir" if found is None else "--home"),
        "shell": (user.shell or None, found and found.shell, "--shell"),
    }
    differs = {name: each for name, each in properties.items() if each[0] is not None and each[0] != each[1]}
    options = [text for wanted, _found, option in differs.values() for text in (option, str(wanted))]
    missing = [group for group in user.groups if group not in member_of]
    if missing:
        options += ["--groups", ",".join(missing), *(["--append"] if found else [])]
    before = {name: found for name, (_wanted, found, _option) in differs.items()}
    after = {name: wanted for name, (wanted, _found, _option) in differs.items()}
    if missing:
        before["groups"], after["groups"] = member_of, sorted({*member_of, *missing})
    if found is None:
        kind = [] if user.uid is not None else ["--system"]
        _change(context, step, None, after, ["useradd", *kind, "--no-create-home", *options, user.name])
    elif options:
        _change(context, step, before, after, ["usermod", *options, user.name])
    if not ours:
        again = [text for _wanted, was, option in properties.values() for text in (option, str(was))]
        again += ["--groups", ",".join(member_of)] if missing else []
        _keep(context, step, ["usermod", *again, user.name])
    return step


def _keep(context: Context, step: Step, command: list[str]) -> None:
    """Record what makes an account of others, which this run or an earlier one changes, as it was before."""
    known = context.before.accounts.get(step.item)
    if known or step.changed:
        context.next.accounts[step.item] = known or command


def _change(context: Context, step: Step, before: Any, after: Any, command: list[str]) -> None:
    step.changed, step.before, step.after = True, before, after
    step.act = _runner(context, command)
