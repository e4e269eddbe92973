# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user who types what the documentation says."""

from __future__ import annotations

import pathlib
import re
import subprocess
from collections.abc import Mapping, Sequence

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.output import comparable, missing_of
from ansible_collections.kubeops.kops.tests.documented.shell import Command
from ansible_collections.kubeops.kops.tests.support import warm_ansible

# Directories of a user's machine, which are below the reader's own here.
_OUTSIDE = re.compile(r"(?:(?<![\w./~])|(?<=file://))(~|/srv|/tmp|/media|/etc)(?=/|$)")
_DIRECTORIES = ("srv", "tmp", "media", "etc/kops", ".kube")
# Programs of Ansible have been loaded before.
_WARM = "ansible"
# What says how Ansible prints results, or where a cluster is, is the reader's own choice.
_NOT_OF_TESTS = ("KUBECONFIG", "ANSIBLE_CALLBACK_RESULT_FORMAT")


class Reader:
    """One with a directory, which is also the home, and an environment."""

    def __init__(self, directory: pathlib.Path, environment: Mapping[str, str]) -> None:
        self.directory = directory
        self.environment = {name: value for name, value in environment.items() if name not in _NOT_OF_TESTS}
        self.environment["HOME"] = str(directory)
        for name in _DIRECTORIES:
            (directory / name).mkdir(parents=True)

    def use(self, *assignments: str) -> None:
        """What `export` does with these."""
        for each in assignments:
            name, _equals, value = each.partition("=")
            self.environment[name] = self.here(value)

    def here(self, text: str) -> str:
        """A word of a page with the reader's own directories in place of those of a machine."""
        return _OUTSIDE.sub(lambda found: f"{self.directory}/{found[1].strip('~/')}".rstrip("/"), text)

    def environment_of(self, words: Sequence[str]) -> Mapping[str, str]:
        """The environment of a command."""
        return self.environment

    def run(self, *words: str, expect: int = 0, given: str = "") -> str:
        """Run a program to this exit code; what it prints. given: its standard input."""
        environment = self.environment_of(words)
        if words[0].startswith(_WARM):
            done = warm_ansible.run(words, directory=self.directory, environment=environment)
        else:
            program = str(ROOT / words[0]) if words[0].startswith("script/") else words[0]
            done = subprocess.run(
                [program, *words[1:]],
                cwd=self.directory,
                env=environment,
                input=given,
                capture_output=True,
                text=True,
                check=False,
            )
        assert done.returncode == expect, f"{' '.join(words)}\n{done.stdout}{done.stderr or ''}"
        return done.stdout

    def typed(self, command: Command, given: str = "") -> str:
        """Type a command; what it prints, which is in the file that the page sends it to as well.

        given: what the command before it in a pipe has printed.
        """
        if command.program == "export":
            self.use(*command.words[1:])
            return ""
        words = [command.program, *(self.here(word) for word in command.words[1:])]
        output = self.run(*words, given=given)
        if command.into:
            (self.directory / self.here(command.into)).write_text(output)
        assert missing_of(command, output) == [], f"{command.where}\n{comparable(output)}"
        return output

    def play(self, *words: str, expect: int = 0) -> str:
        """Run ansible-playbook with these words; what it prints."""
        return self.run("ansible-playbook", *words, expect=expect)
