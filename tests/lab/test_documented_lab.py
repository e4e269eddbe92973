# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that pages show for the lab itself, typed as they stand there: a hardened cluster, by hand.

The tests of this file go through the life of one lab, in their order.
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterator

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.documented.on_hosts import LAB, typed
from ansible_collections.kubeops.kops.tests.documented.reader import Reader
from ansible_collections.kubeops.kops.tests.documented.shell import Command
from ansible_collections.kubeops.kops.tests.lab import binaries, cache, hosts, running
from ansible_collections.kubeops.kops.tests.lab.reading import ansible_settings, changes

pytestmark = pytest.mark.long

GROUPS = {"host1": "control-plane-a", "host2": "nodes"}


@pytest.fixture(scope="module")
def reader(prepared: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """One whose lab has no hosts yet."""
    if hosts.names():
        pytest.skip("the commands remove all hosts of the lab, and there are some")
    directory = tmp_path_factory.mktemp("reader")
    own = {"KOPS_LAB_CACHE": str(cache.directory())}
    yield Reader(directory, {**os.environ, **ansible_settings(directory), **own})
    hosts.remove(*GROUPS, "host3")
    # The last command has taken the servers down, which later tests find where they were.
    running.prepare((binaries.NEWEST,))


def read(reader: Reader, part: str) -> dict[str, str]:
    """Type the commands of a part; what each has printed."""
    said = {}
    for command in (command for chapter in LAB[part] for command in typed(chapter)):
        if command.program == "export":
            # The page has dots in place of what is printed, which name_groups() has taken.
            continue
        said[str(command)] = reader.typed(command)
        if command.into == "hosts.yml":
            name_groups(reader, command)
    return said


def name_groups(reader: Reader, command: Command) -> None:
    """What pages say to do with the inventory, and with the variables that are printed below it."""
    path: pathlib.Path = reader.directory / command.into
    printed = path.read_text()
    reader.use(*re.findall(r"^# export (\S+=\S+)$", printed, re.MULTILINE))
    inventory = yaml.safe_load(printed)
    for host, group in GROUPS.items():
        inventory["all"]["children"]["lab"]["hosts"][host]["kops_instance_group"] = group
    path.write_text(yaml.safe_dump(inventory))


def test_a_hardened_cluster_is_checked(reader: Reader) -> None:
    reader.environment = {name: value for name, value in reader.environment.items() if not name.startswith("CNI_")}
    said = read(reader, "harden")
    assert any(changes(output) > 0 for words, output in said.items() if "create_cluster" in words)
    assert re.search(r"^1\.2\.1 ", said["script/lab cis"], re.MULTILINE)


def test_the_cluster_is_there_by_hand(reader: Reader) -> None:
    said = read(reader, "by hand")
    assert [changes(output) for words, output in said.items() if "create_cluster" in words] == [0]
    (nodes,) = (output for words, output in said.items() if words.endswith(" get nodes"))
    assert re.findall(r"^(\S+) +Ready ", nodes, re.MULTILINE) == [*GROUPS]


def test_the_lab_goes_as_it_came(reader: Reader) -> None:
    said = read(reader, "use")
    assert "host3" in said["script/lab up --hosts 3"]
    assert hosts.names() == {}
