# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of targets. What is asked of a row is said in target.py."""

from __future__ import annotations

from ...base.errors import KopsError
from ...base.options import named
from .cloudformation import CloudFormation
from .direct import Direct
from .release import Release
from .stack import Stack
from .target import Target, TargetOptions
from .terraform import Terraform

TARGETS: dict[str, Target] = {target.name: target for target in (Direct(), Terraform(), CloudFormation())}
# Those that, if they are asked to, carry out what they say.
APPLIED: dict[str, Target] = {target.name: target for target in (Stack(),)}
# ... and that end it.
RELEASED: dict[str, Target] = {target.name: target for target in (Release(),)}
DEFAULT = Direct.name


def target_of(options: TargetOptions) -> Target:
    """The target that options name.

    Raises KopsError for one that is not in the table, and for what it cannot do.
    """
    name = options.target
    if name not in TARGETS:
        raise KopsError(f"there is no target {name!r}; targets are {', '.join(TARGETS)}")
    if options.release and not options.apply:
        raise KopsError(f"{named('release')} needs {named('apply')}")
    if not options.apply:
        return TARGETS[name]
    if name not in APPLIED:
        raise KopsError(f"{named('apply')} is for target {', '.join(APPLIED)}: {TARGETS[name].why_not_applied}")
    return RELEASED[name] if options.release else APPLIED[name]


def refuse_options(target: Target, options: TargetOptions) -> None:
    """Raise KopsError for options without which a target cannot do, and for those that are for others."""
    if target.out_is and not options.out:
        raise KopsError(f"target {target.name} needs out, {target.out_is}")
    if options.out and options.apply:
        raise KopsError(f"with {named('apply')}, nothing is written to a directory; do not set out")
    if options.terraform_variables and not target.has_variables:
        others = ", ".join(each.name for each in TARGETS.values() if each.has_variables)
        raise KopsError(f"{named('terraform_variables')} is for target {others}")
    if target.needs_all_groups and (any(options.instance_groups) or any(options.instance_group_roles)):
        others = ", ".join(each.name for each in TARGETS.values() if not each.needs_all_groups)
        raise KopsError(f"instance_groups and instance_group_roles are for target {others}: {target.needs_all_groups}")
