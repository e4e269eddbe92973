# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Terraform target: the same tasks, written as a configuration that kops would have written."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ...base.errors import KopsError
from ..task import Task
from . import files as files_of_targets
from .files import read_file
from .hcl import Block, Literal, block, function, map_argument, sanitize
from .imports import Import
from .rendering import Marked, renderers
from .variables import Property, Variable

# Also of the method by which a kind of tasks adds its resources, data sources and outputs to a TerraformTarget.
NAME = "terraform"
# In files' contents, a value that only Terraform knows is a local value of the configuration, a list of texts.
VALUES = Marked(NAME)
REQUIRED_VERSION = ">= 0.15.0"
FILES_ALIAS = "files"
CONFIGURATION = "kubernetes.tf"
# How a configuration names a file beside it.
_FILE_READ = re.compile(r'"\$\{path\.module\}/data/([^"/]+)"')

# What kops and this collection call the value with the name of the cluster, in the block of local values.
_CLUSTER_NAME = re.compile(r'^\s*cluster_name\s*=\s*"([^"]+)"', re.MULTILINE)
_USER_DATA = "_user_data"


class TerraformProvider(Protocol):
    """A provider of Terraform, as the table of clouds names it.

    name: of its blocks. source, version: what is required. empty_blocks: without which it does not start.
    """

    @property
    def name(self) -> str:
        """Of its blocks."""

    @property
    def source(self) -> str:
        """Where Terraform gets it from."""

    @property
    def version(self) -> str:
        """What is required of it."""

    @property
    def empty_blocks(self) -> tuple[str, ...]:
        """Blocks without which it does not start."""


class TerraformTarget:
    """Collects resources, data sources, outputs and files, and writes them as one configuration.

    provider: the cloud's. provider_arguments: of its block (region, project).
    files_provider_arguments: added to the provider that writes the state store's files (spec.target.terraform).
    has_variables: whether properties of instance groups are variables; kops' configurations have none.
    """

    def __init__(
        self,
        provider: TerraformProvider,
        provider_arguments: Mapping[str, str],
        files_provider_arguments: Mapping[str, str] | None = None,
    ) -> None:
        self._provider = provider
        self._provider_arguments = dict(provider_arguments)
        self._files_provider_arguments = dict(files_provider_arguments or {})
        self._files_providers: dict[str, tuple[TerraformProvider, dict[str, str]]] = {}
        self.has_variables = False
        self._variables: dict[str, Variable] = {}
        self._resources: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._data: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._outputs: dict[str, Literal] = {}
        self._locals: dict[str, Literal] = {}
        self._output_lists: dict[str, set[Literal]] = {}
        self._files: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def resource(self, resource_type: str, name: str, attributes: Mapping[str, Any]) -> None:
        """Add a resource. None attributes are left out; Block and lists of Block become nested blocks."""
        self._add(self._resources, "resource", resource_type, name, attributes)

    def data(self, data_type: str, name: str, attributes: Mapping[str, Any]) -> None:
        """Add a data source, which several objects may read."""
        if self._data.get((data_type, sanitize(name))) == attributes:
            return
        self._add(self._data, "data source", data_type, name, attributes)

    def variable(self, group: str | None, of: Property, value: int | str | None) -> Literal | int | str | None:
        """A property of an instance group as a resource has it: the value, or the variable that has it as its default.

        group: its name; None if the resource does not say it, or is not what decides the property.
        """
        if not self.has_variables or not group or value is None:
            return value
        name = of.variable(group)
        with self._lock:
            if name in self._variables:
                raise KopsError(f"two objects both give the Terraform variable {name}")
            self._variables[name] = Variable(group, of, value)
        return Literal(f"var.{name}")

    def output(self, name: str, value: Literal | str) -> None:
        """Add an output variable, and the local value of the same name."""
        literal = value if isinstance(value, Literal) else Literal(f'"{value}"')
        with self._lock:
            if name in self._outputs or name in self._output_lists:
                raise KopsError(f"two objects both give the Terraform output {name}")
            self._outputs[name] = literal

    def local(self, name: str, value: Literal) -> None:
        """Add a local value, which is no output."""
        with self._lock:
            if name in self._locals:
                raise KopsError(f"two objects both give the Terraform local value {name}")
            self._locals[name] = value

    def output_list(self, name: str, value: Literal) -> None:
        """Add one member to a list output; members are written once, sorted."""
        with self._lock:
            if name in self._outputs:
                raise KopsError(f"the Terraform output {name} is both a list and a single value")
            self._output_lists.setdefault(name, set()).add(value)

    def file(self, resource_type: str, name: str, key: str, content: str | bytes, base64: bool = False) -> Literal:
        """Put content into data/; returns the expression that reads it, by the functions file or filebase64.

        Marks of VALUES there are replaced.
        """
        path = self.file_path(resource_type, name, key, content)
        text = content if isinstance(content, str) else content.decode("utf-8", "replace")
        missing = VALUES.marks_in(text)
        if not missing:
            return function("filebase64" if base64 else "file", path)
        read = function("file", path)
        for value, mark in missing.items():
            read = function("replace", read, mark, function("join", ",", Literal(f"local.{value}")))
        return function("base64encode", read) if base64 else read

    def file_path(self, resource_type: str, name: str, key: str, content: str | bytes) -> Literal:
        """Put content into data/ and return its path as an expression."""
        path = f"data/{resource_type}_{name}_{key}"
        with self._lock:
            self._files[path] = content.encode() if isinstance(content, str) else content
        return Literal(f'"${{path.module}}/{path}"')

    def files_provider(self, provider: TerraformProvider, arguments: Mapping[str, str]) -> Literal:
        """Ensure the aliased provider that writes the state store's files; returns the reference for its resources."""
        with self._lock:
            _provider, known = self._files_providers.setdefault(provider.name, (provider, dict(arguments)))
            if known != dict(arguments):
                raise KopsError(
                    f"the cluster's files lie in stores that need two {provider.name} providers:"
                    f" {known}, {dict(arguments)}"
                )
        return Literal(f"{provider.name}.{FILES_ALIAS}")

    def render(self, tasks: Iterable[Task[Any]], there: Iterable[Import] = ()) -> dict[str, bytes]:
        """The configuration of tasks: path below the output directory -> bytes.

        there: objects of them that exist, whose own arguments the configuration keeps.
        Raises KopsError with all kinds of tasks that have no method for it.
        """
        for add_to in renderers(tasks, NAME):
            add_to(self)
        for each in there:
            key = (each.resource, sanitize(each.name))
            if each.kept and key in self._resources:
                self._resources[key] = {**each.kept, **self._resources[key]}
        return {CONFIGURATION: self._configuration().encode(), **self._files}

    def _add(
        self,
        table: dict[tuple[str, str], Mapping[str, Any]],
        what: str,
        type_: str,
        name: str,
        attributes: Mapping[str, Any],
    ) -> None:
        key = (type_, sanitize(name))
        with self._lock:
            if key in table:
                raise KopsError(f"two objects both give the Terraform {what} {key[0]}.{key[1]}")
            table[key] = attributes

    def _configuration(self) -> str:
        sections = [self._variables[name].block for name in sorted(self._variables)]
        sections += [*self._locals_and_outputs(), *self._provider_blocks()]
        sections += [block(f'resource "{t}" "{n}"', self._resources[t, n]) for t, n in sorted(self._resources)]
        sections += [block(f'data "{t}" "{n}"', self._data[t, n]) for t, n in sorted(self._data)]
        return "\n".join([*sections, self._terraform_block()])

    def _locals_and_outputs(self) -> list[str]:
        values: dict[str, Any] = {sanitize(name): value for name, value in self._outputs.items()}
        values.update({sanitize(name): sorted(members) for name, members in self._output_lists.items()})
        if not values and not self._locals:
            return []
        return [
            block("locals", {**values, **self._locals}),
            *(block(f'output "{name}"', {"value": values[name]}) for name in sorted(values)),
        ]

    def _provider_blocks(self) -> list[str]:
        main = _provider_block(self._provider, self._provider_arguments)
        files = [
            _provider_block(provider, {"alias": FILES_ALIAS, **arguments, **self._files_provider_arguments})
            for _name, (provider, arguments) in sorted(self._files_providers.items())
        ]
        return [main, *files]

    def _terraform_block(self) -> str:
        pins = []
        files = {name: provider for name, (provider, _arguments) in self._files_providers.items()}
        for name, provider in sorted({**files, self._provider.name: self._provider}.items()):
            pin: dict[str, Any] = {"source": provider.source, "version": provider.version}
            if name in self._files_providers:
                pin["configuration_aliases"] = [Literal(f"{name}.{FILES_ALIAS}")]
            pins.append(map_argument(name, pin, indent=4))
        head = f'terraform {{\n  required_version = "{REQUIRED_VERSION}"\n  required_providers {{\n'
        return head + "".join(pins) + "  }\n}\n"


def _provider_block(provider: TerraformProvider, arguments: Mapping[str, str]) -> str:
    return block(f'provider "{provider.name}"', {**arguments, **{name: Block() for name in provider.empty_blocks}})


def stale_files(files: Mapping[str, bytes], directory: str) -> list[str]:
    """Files in data/ that the directory's configuration reads and this rendering does not write.

    Relative to directory. Other files in it are left alone.
    """
    configuration = read_file(os.path.join(directory, CONFIGURATION)) or b""
    names = {f"data/{name}" for name in _FILE_READ.findall(configuration.decode("utf-8", "replace"))}
    return sorted(name for name in names - files.keys() if os.path.isfile(os.path.join(directory, name)))


def cluster_of(directory: str) -> str:
    """The cluster whose configuration a directory has; "" if none says so."""
    configuration = read_file(os.path.join(directory, CONFIGURATION)) or b""
    found = _CLUSTER_NAME.search(configuration.decode("utf-8", "replace"))
    return found[1] if found else ""


def user_data_of(directory: str) -> list[str]:
    """The user data in the files of a configuration."""
    configuration = (read_file(os.path.join(directory, CONFIGURATION)) or b"").decode("utf-8", "replace")
    names = sorted({name for name in _FILE_READ.findall(configuration) if name.endswith(_USER_DATA)})
    found = (read_file(os.path.join(directory, "data", name)) for name in names)
    return [content.decode("utf-8", "replace") for content in found if content is not None]


def write_files(files: Mapping[str, bytes], directory: str) -> bool:
    """Make directory hold the rendered files, and none of an earlier rendering; as files.write_files()."""
    return files_of_targets.write_files(files, directory, stale=stale_files(files, directory), last=CONFIGURATION)
