# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of a collection, row by row, and the tests that show it.

Sources: "hub": Red Hat's certification of partner collections; "community": the rules for inclusion in the package
ansible; "galaxy": what galaxy-importer refuses; "own": what this project asks of itself.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Requirement:
    """tests: pytest's names of tests below tests/; a file, or a test of it with all its parameters. All must pass.

    slow: takes minutes. elsewhere: a test that is skipped needs another machine, which the workflows have.
    """

    subject: str
    source: str
    tests: tuple[str, ...]
    slow: bool = False
    elsewhere: bool = False


_METADATA, _GATES, _TARBALL = "gates/test_metadata.py", "gates/test_gates.py", "gates/test_tarball.py"
_DOCUMENTATION, _VERSIONS = "gates/test_documentation.py", "versions/test_versions.py"

REQUIREMENTS = (
    Requirement("semantic version, at one place, nothing newer than it", "community", (
        f"{_METADATA}::test_the_version_is_semantic",
        f"{_METADATA}::test_no_other_file_has_a_version_of_its_own",
        f"{_METADATA}::test_nothing_is_newer_than_the_version",
    )),
    Requirement("tags, one of the required ones among them", "galaxy", (f"{_METADATA}::test_tags_say_what_it_is_for",)),
    Requirement("links to repository, documentation, homepage, issues", "hub", (f"{_METADATA}::test_links_are_there",)),
    Requirement("no dependency on uncertified collections", "hub", (
        f"{_METADATA}::test_it_depends_on_no_other_collection",
    )),
    Requirement("license, as a file and for each file (REUSE)", "community", (
        f"{_METADATA}::test_the_license_is_there",
        f"{_METADATA}::test_every_file_says_its_license",
    )),
    Requirement("sections of the README", "hub", (
        f"{_METADATA}::test_the_readme_has_the_sections_that_are_asked_for",
    )),
    Requirement("links of the README are absolute", "hub", (f"{_METADATA}::test_links_of_the_readme_are_absolute",)),
    Requirement("README: versions, forum, code of conduct", "community", (
        f"{_METADATA}::test_the_readme_tells_what_the_community_asks_for",
        f"{_METADATA}::test_a_page_for_the_community_is_there",
    )),
    Requirement("requires_ansible, the versions that are tested, and the workflows agree", "community", (
        "gates/test_workflows.py::test_versions_of_ansible_core_are_those_that_are_tested",
    )),
    Requirement("requirements of execution environments", "hub", (
        f"{_METADATA}::test_requirements_of_execution_environments_leave_newer_versions_open",
    )),
    Requirement("folders of plugins", "community", (f"{_METADATA}::test_plugins_are_in_folders_that_ansible_knows",)),
    Requirement("modules that only read support check mode", "community", (
        f"{_DOCUMENTATION}::test_what_only_reads_supports_check_mode",
    )),
    Requirement("every module documents options, results and attributes", "hub", (
        f"{_DOCUMENTATION}::test_every_module_says_what_it_returns_and_supports",
    )),
    Requirement("examples can be used as they stand", "own", (
        f"{_DOCUMENTATION}::test_examples_are_tasks_with_arguments_that_the_module_takes",
    )),
    Requirement("every module is in an action group", "own", ("gates/test_action_groups.py",)),
    Requirement("changelog: fragments are valid, and none is missing", "hub", (
        f"{_GATES}::test_changelog_lint",
        "gates/test_changelog.py::test_changes_of_the_product_have_a_changelog_fragment",
    )),
    Requirement("tarball: no tests, links, programs, caches; size", "community", (
        f"{_TARBALL}::test_holds_what_users_need_and_nothing_else",
    )),
    Requirement("tarball alone: ansible-doc knows all modules", "community", (
        f"{_TARBALL}::test_documents_all_modules",
    )),
    Requirement("tarball alone: plans a first cluster", "own", (f"{_TARBALL}::test_plans_a_first_cluster",)),
    Requirement("no exceptions from ansible-test (tests/sanity/ignore)", "community", (
        f"{_GATES}::test_ansible_test_has_no_exceptions",
    )),
    Requirement("workflows: parse, pinned, least permissions, weekly", "community", ("gates/test_workflows.py",)),
    Requirement("galaxy-importer", "galaxy", (f"{_GATES}::test_galaxy_importer",), slow=True),
    Requirement("ansible-lint, profile production", "hub", (f"{_GATES}::test_ansible_lint_production",), slow=True),
    Requirement("antsibull-docs", "community", (f"{_GATES}::test_documentation_lint",), slow=True),
    Requirement("Python 3.9 suffices on nodes (vermin)", "own", (
        f"{_GATES}::test_plugins_need_no_newer_python_than_they_say",
    ), slow=True),
    Requirement("ansible-test sanity, ansible-core of development", "hub", (
        f"{_GATES}::test_ansible_test_sanity",
        f"{_GATES}::test_ansible_test_sanity_of_what_is_new",
    ), slow=True),
    *(
        Requirement(f"all playbooks and a first plan, ansible-core {version}", "hub", (
            f"{_VERSIONS}::test_first_plan[{version}]",
        ), slow=True, elsewhere=True)
        for version in ("2.17", "2.18", "2.19", "2.20", "2.21")
    ),
)  # fmt: skip
