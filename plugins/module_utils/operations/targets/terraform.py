# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Target terraform: a configuration, in the layout of kops."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...base.errors import KopsError
from ...base.options import named
from ...cloud.user_data import changes_of, consequence_of
from ...engine.targets.files import read_file
from ...engine.targets.imports import IMPORTS, Import, imports_file, imports_of, named_in
from ...engine.targets.rendering import renderers
from ...engine.targets.terraform import (
    CONFIGURATION,
    NAME,
    VALUES,
    TerraformTarget,
    cluster_of,
    stale_files,
    user_data_of,
    write_files,
)
from ...engine.targets.variables import has_variables
from ...engine.task import Task
from ...statestore.store import ClusterStore
from ..clouds import builders_of
from ..ownership import Held, taken_over_directory
from ..update.desired import Desired
from .rendering import Rendering
from .target import TargetOptions

# The files of a configuration with user data.
_USER_DATA = re.compile(r"data/[a-z]+_\w*?template_(.+)_user_data")


class Terraform(Rendering):
    """A configuration for the provider of the cluster's cloud."""

    name = NAME
    title = "Terraform"
    out_is = "the directory that the configuration is written to"
    needs_all_groups = "groups that are left out of a configuration, Terraform destroys"
    late_values = VALUES
    has_variables = True
    why_not_applied = "a configuration is carried out by Terraform, which keeps its state where its user says"
    carried_out_by = "terraform -chdir={} init, then plan and apply"

    def takeovers(self, options: TargetOptions, store: ClusterStore, cluster: Cluster) -> list[str]:
        """Of the directory."""
        directory = os.path.expanduser(options.out)
        if not os.path.exists(os.path.join(directory, CONFIGURATION)):
            return []
        held = Held("Terraform configuration", CONFIGURATION, cluster_of(directory), user_data_of(directory))
        return taken_over_directory(store, cluster, directory, held)

    def refuse(self, desired: Desired) -> None:
        """A cloud without a provider of Terraform, kinds without resources, and variables of what is in no resource."""
        self._empty(desired)
        renderers(self.rendered(desired), NAME)
        if desired.has_variables and not any(task.starts_instances for task in self.rendered(desired)):
            raise KopsError(
                f"{named('terraform_variables')}: on {cloud_of(desired.cluster).title}, a configuration has no"
                " instance groups, whose properties these variables are"
            )

    def tasks(self, options: TargetOptions, store: ClusterStore, desired: Desired) -> Mapping[str, Task[Any]]:
        """As of each rendering."""
        desired.has_variables = options.terraform_variables
        had = read_file(os.path.join(os.path.expanduser(options.out), CONFIGURATION)) or b""
        if has_variables(had) and not desired.has_variables:
            desired.warnings.append(
                f"{CONFIGURATION} in {options.out} loses its variables, and what they were set to becomes what the"
                f" specification says; {named('terraform_variables')} keeps them"
            )
        return super().tasks(options, store, desired)

    def render(self, desired: Desired) -> dict[str, bytes]:
        """kubernetes.tf, and what it reads."""
        target = self._empty(desired)
        target.has_variables = desired.has_variables
        target.output("region", desired.region)
        target.output("cluster_name", str(desired.cluster.metadata.name))
        return target.render(self.rendered(desired), self._there(desired))

    def beside(self, desired: Desired, directory: str) -> dict[str, bytes]:
        """With the first configuration, blocks that import what is there; later, those of them that still are right."""
        imports = self._there(desired)
        if read_file(os.path.join(directory, CONFIGURATION)) is None:
            return {IMPORTS: imports_file(imports)} if imports else {}
        held = read_file(os.path.join(directory, IMPORTS))
        return {} if held is None else {IMPORTS: imports_file(named_in(held, imports))}

    def _there(self, desired: Desired) -> list[Import]:
        """What there is of the configuration."""
        there = {task.key for task in self.rendered(desired)} & desired.there.found
        return imports_of(task for key, task in desired.looked_at.items() if key in there)

    def stale(self, files: Mapping[str, bytes], directory: str) -> list[str]:
        """Those that the configuration in the directory reads."""
        return stale_files(files, directory)

    def write_to(self, directory: str, files: Mapping[str, bytes]) -> None:
        """The configuration comes last."""
        write_files(files, directory)

    def replaced(self, files: Mapping[str, bytes], before: Mapping[str, bytes]) -> dict[str, str]:
        """By the names in the paths of user data."""
        names = {path: found[1] for path in before if (found := _USER_DATA.fullmatch(path))}
        texts = {path: [each[path].decode("utf-8", "replace") for each in (before, files)] for path in names}
        return {name: consequence_of(changes_of(*texts[path])) for path, name in names.items()}

    def _empty(self, desired: Desired) -> TerraformTarget:
        return builders_of(desired.cluster).terraform_target(desired.cluster, desired.region)
