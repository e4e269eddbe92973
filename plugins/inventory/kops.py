# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible inventory: the instances of clusters."""

from __future__ import annotations

DOCUMENTATION = r"""
name: kops
short_description: Instances of kops clusters as hosts
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Makes a host of each instance of the clusters in a state store, for ad-hoc commands and your own playbooks.
  - The file is called C(kops.yml) or C(kops.yaml), or its name ends in C(.kops.yml) or C(.kops.yaml).
  - The cloud is asked with its own credentials, as the modules of this collection do. An execution environment of AWX
    gets them from a credential.
  - A host is called as its node. Instances in warm pools are left out, because most of them are stopped.
  - Each host is in a group for its cluster (C(cluster_demo_example_com)), instance group
    (C(instance_group_nodes_us_east_1a)), role (C(role_control_plane), C(role_apiserver), C(role_node),
    C(role_bastion)), zone (C(zone_us_east_1a)), health (C(health_healthy), C(health_unhealthy), C(health_missing),
    C(health_unknown)) and status (C(status_uptodate), C(status_needsupdate), C(status_detached)). Characters that the
    name of a group cannot have become C(_).
  - Instances of clouds are in the group C(cloud_instances). Playbooks of this collection do not take them for hosts of
    bare metal, so they work with this inventory as without any.
  - Each host has the variables C(kops_cluster_name), C(kops_kubernetes_version) (of the specification), and what
    M(kubeops.kops.instance_info) returns of an instance - C(kops_instance_id), C(kops_node), C(kops_instance_group),
    C(kops_role), C(kops_status), C(kops_reasons), C(kops_health), C(kops_power), C(kops_zone), C(kops_machine_type),
    C(kops_private_addresses), C(kops_public_addresses), C(kops_launched), C(kops_kubelet_version), C(kops_labels) and
    C(kops_tags). The options O(compose), O(groups), O(keyed_groups) and O(hostname) can use them.
  - A cluster that is named in O(clusters) and cannot be read is an error. All problems are told at once. If a cluster
    was not named, but is one of all in the store, it is left out with a warning.
extends_documentation_fragment:
  - constructed
  - inventory_cache
  - kubeops.kops.state_store.plugin
  - kubeops.kops.clouds.instances
requirements:
  - cryptography >= 42 (if the API is asked)
options:
  plugin:
    description: That this file is for this plugin.
    type: str
    required: true
    choices: [kubeops.kops.kops]
  clusters:
    description:
      - Names of clusters, or patterns such as V(*.example.com). Without any, all clusters of the store.
      - For a pattern, as for all clusters, those that cannot be read are left out with a warning.
    type: list
    elements: str
    default: []
    env:
      - name: KOPS_CLUSTER_NAME
  source:
    description:
      - Who is asked which hosts there are, and how they are. V(cloud) is the cloud alone.
      - V(both) also asks the Kubernetes API of each cluster, for names of nodes, their labels and their health. An API
        that cannot be reached is a warning.
      - V(api) is the Kubernetes API alone. This is the way for clusters on bare metal, whose hosts are its nodes. It
        knows nothing of machines that are no nodes, such as bastions.
    type: str
    choices: [cloud, both, api]
    default: cloud
  api_server:
    description: Address or URL of the API server, instead of the cluster's own. Only together with one cluster.
    type: str
  instance_groups:
    description: Names of instance groups. Others are left out. Each cluster that is read must have them.
    type: list
    elements: str
    default: []
  instance_group_roles:
    description: Roles of instance groups (V(control-plane), V(apiserver), V(node), V(bastion)). Others are left out.
    type: list
    elements: str
    default: []
  address:
    description:
      - At which address hosts are reached; it becomes C(ansible_host).
      - V(public) is the first public address. Hosts without any are an error if O(strict) is set, and else get no
        C(ansible_host), with a warning.
      - V(private) is the first private address.
      - V(bastion) is the private address, through a bastion. Its option for SSH is C(ProxyJump)
        in C(ansible_ssh_common_args). A cluster without bastions is an error.
      - Bastions themselves are then reached at the host of their load balancer, which decides at which of several
        bastions a connection ends.
      - V(auto) is V(bastion) for clusters with bastions, whose security groups admit SSH from nowhere else. For others
        it is the public address of a host, or its private one if it has no other.
    type: str
    choices: [auto, public, private, bastion]
    default: auto
  bastion:
    description:
      - Host through which hosts are reached, instead of the load balancer of the cluster's bastions. It can have a user
        and a port, such as V(ubuntu@jump.example.com:2222), and can be several hosts, separated by commas.
    type: str
  ssh_user:
    description:
      - User for SSH on hosts, as C(ansible_user), and on bastions. It depends on the image, for example V(ubuntu),
        V(admin) (Debian), V(ec2-user) (Amazon Linux) or V(core) (Flatcar).
    type: str
  hostname:
    description:
      - Jinja2 expression for the name of a host, in the same form as in O(compose).
      - Names must differ. Without it, hosts are called as their nodes, or as their instances if they are none.
    type: str
notes:
  - Ansible does not give its own SSH options to a bastion (C(ProxyJump)); keys and known hosts of bastions come from
    the configuration of SSH, or from an agent.
  - Playbooks of this collection for clusters in clouds need no inventory. This one is for your own playbooks.
  - Reading a cluster on AWS takes three calls to AWS besides those to the state store, one more for each warm pool, and
    two for bastions. Clusters are read at the same time.
seealso:
  - module: kubeops.kops.instance_info
  - plugin: amazon.aws.aws_ec2
    plugin_type: inventory
    description: All instances of an account, whatever they are for.
"""

EXAMPLES = r"""
# kops.yml: all clusters of the store that KOPS_STATE_STORE names.
# `ansible-inventory -i kops.yml --graph` shows them; `ansible -i kops.yml role_node -b -a 'uptime'` runs a command.
plugin: kubeops.kops.kops
ssh_user: ubuntu

---
# demo.kops.yml: one cluster, over private addresses, kept for ten minutes.
plugin: kubeops.kops.kops
state_store: s3://example-state
clusters: [demo.example.com]
address: private
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.cache/kops-inventory
cache_timeout: 600

---
# Names that people know, with groups of their own; the API says which nodes are healthy.
plugin: kubeops.kops.kops
state_store: s3://example-state
source: both
strict: true
hostname: kops_instance_group ~ '-' ~ kops_instance_id
compose:
  ansible_port: "2222 if kops_role == 'bastion' else 22"
groups:
  to_replace: kops_status == 'NeedsUpdate' or kops_health == 'unhealthy'
keyed_groups:
  - key: kops_machine_type
    prefix: type
  - key: kops_tags['team']
    prefix: team
    default_value: none
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Any

from ansible import constants
from ansible.errors import AnsibleError, AnsibleParserError
from ansible.inventory.data import InventoryData
from ansible.inventory.group import to_safe_group_name
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.unsafe_proxy import wrap_var
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import LIBRARIES
from ansible_collections.kubeops.kops.plugins.module_utils.api.suggest import did_you_mean
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.instances import (
    Instances,
    InstancesOptions,
    read_instances,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import StateStore
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.inventory_hosts import INSTANCES

_SUFFIXES = (".yml", ".yaml")
_PATTERN = re.compile(r"[*?\[]")
_PARALLEL = 8
# Of what is known of an instance: what groups are made of, and under which names the rest becomes variables.
_GROUPED = {"cluster": "cluster", "instance_group": "instance_group", "role": "role", "zone": "zone"}
_GROUPED.update(health="health", status="status")
_VARIABLES = {"cluster": "kops_cluster_name", "id": "kops_instance_id"}
# Which addresses count, by the way to reach hosts.
_KINDS = {"public": "public", "private": "private", "bastion": "private", "either": "public or private"}
# Options that decide what is asked for, and so which answers in the cache are still of use.
_ASKED = ("state_store", "clusters", "source", "api_server", "instance_groups", "instance_group_roles")

# What is kept in the cache of one cluster: found, bastion, kubernetes_version.
Read = dict[str, Any]


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    """kubeops.kops.kops"""

    NAME = "kubeops.kops.kops"

    def verify_file(self, path: str) -> bool:
        """Whether a file is called as this plugin's files are."""
        name = PurePath(path).name
        ours = any(name == f"kops{suffix}" or name.endswith(f".kops{suffix}") for suffix in _SUFFIXES)
        return ours and super().verify_file(path)

    def parse(self, inventory: InventoryData, loader: DataLoader, path: str, cache: bool = True) -> None:
        """Ansible's entry point."""
        super().parse(inventory, loader, path, cache)
        problems = self._unknown_options(self._read_config_data(path))
        clusters = self._clusters(path, cache, problems)
        hosts = self._hosts(clusters, problems)
        if problems:
            raise AnsibleParserError("\n".join([f"{path}:", *(f"- {problem}" for problem in problems)]))
        for name, variables in hosts.items():
            self._add(name, variables)

    # -- options ------------------------------------------------------------------------------------------------

    def _unknown_options(self, config: Mapping[str, Any]) -> list[str]:
        """Ansible itself says nothing of an option that is misspelled."""
        defined = constants.config.get_configuration_definitions("inventory", self._load_name)
        known = {alias for name, option in defined.items() for alias in (name, *(option.get("aliases") or ()))}
        return [f"there is no option {name}{did_you_mean(name, known)}" for name in config if name not in known]

    def _text(self, option: str) -> str:
        return str(self.get_option(option) or "")

    def _texts(self, option: str) -> list[str]:
        return [str(each) for each in self.get_option(option) or () if each]

    # -- what is asked ------------------------------------------------------------------------------------------

    def _clusters(self, path: str, cache: bool, problems: list[str]) -> list[Read]:
        """The clusters with their instances, from the cache if it is used and holds the answer to the same question."""
        asked = {name: self.get_option(name) for name in _ASKED}
        uses_cache, key = bool(self.get_option("cache")), self.get_cache_key(path)
        if uses_cache and cache:
            kept = self._cache.get(key)
            if kept and kept.get("asked") == asked:
                return list(kept["clusters"])
        found = self._read(problems)
        if uses_cache and not problems:
            self._cache[key] = {"asked": asked, "clusters": found}
        return found

    def _read(self, problems: list[str]) -> list[Read]:
        """Ask the state store, and then all clusters at the same time."""
        wanted = self._texts("clusters")
        named = [each for each in wanted if not _PATTERN.search(each)]
        try:
            names = self._names(wanted, named)
        except (KopsError, ImportError) as error:
            problems.append(_said(error))
            return []
        if self._text("api_server") and len(names) > 1:
            problems.append(f"api_server is for one cluster, and there are {len(names)}: {', '.join(names)}")
            return []
        with ThreadPoolExecutor(_PARALLEL) as pool:
            answers = list(pool.map(self._ask, names))
        found = []
        for name, answer in zip(names, answers):
            if isinstance(answer, Instances):
                for warning in answer.warnings:
                    self.display.warning(f"{name}: {warning}")
                found.append(
                    {
                        "name": name,
                        "found": answer.found,
                        "bastion": answer.bastion,
                        "kubernetes_version": answer.kubernetes_version,
                    }
                )
            elif name in named:
                problems.append(_said(answer))
            else:
                self.display.warning(f"cluster {name} is left out: {_said(answer)}")
        return found

    def _names(self, wanted: Sequence[str], named: Sequence[str]) -> list[str]:
        if named and len(named) == len(wanted):
            return sorted(set(named))
        stored = StateStore(self._text("state_store")).clusters()
        return sorted({*named, *(name for name in stored if any(fnmatchcase(name, each) for each in wanted or "*"))})

    def _ask(self, name: str) -> Instances | Exception:
        """The instances of a cluster, or why they are not known."""
        options = InstancesOptions(
            self._text("state_store"),
            name,
            source=self._text("source"),
            api_server=self._text("api_server"),
            instance_groups=self._texts("instance_groups"),
            roles=self._texts("instance_group_roles"),
        )
        try:
            return read_instances(options)
        except (KopsError, ImportError) as error:
            return error

    # -- what hosts are made of it --------------------------------------------------------------------------------

    def _hosts(self, clusters: Sequence[Read], problems: list[str]) -> dict[str, dict[str, Any]]:
        """Names of hosts with their variables."""
        hosts: list[tuple[str, dict[str, Any]]] = []
        for cluster in clusters:
            way, problem = self._way(cluster)
            problems += [problem] if problem else []
            unreachable = []
            for instance in cluster["found"]:
                if instance["state"]:
                    continue
                variables = {_VARIABLES.get(key, f"kops_{key}"): value for key, value in instance.items()}
                del variables["kops_state"]
                variables["kops_kubernetes_version"] = cluster["kubernetes_version"]
                reached = self._reached(instance, way, cluster)
                name, problem = self._name(instance, variables)
                if problem:
                    problems.append(problem)
                    continue
                if not reached.get("ansible_host"):
                    unreachable.append(name)
                hosts.append((name, {**variables, **reached}))
            if unreachable:
                told = f"cluster {cluster['name']}: no {_KINDS[way]} address: {', '.join(unreachable)}"
                if self.get_option("strict"):
                    problems.append(told)
                else:
                    self.display.warning(told)
        twice = [name for name, count in Counter(name for name, _variables in hosts).items() if count > 1]
        problems += [f"several instances would be called {name}; let hostname tell them apart" for name in twice]
        return dict(hosts)

    def _way(self, cluster: Read) -> tuple[str, str]:
        """How the hosts of a cluster are reached: public, private, bastion or either; and what is wrong with that."""
        chosen, has_bastion = self._text("address"), bool(self._text("bastion") or cluster["bastion"])
        if chosen == "auto":
            return "bastion" if has_bastion else "either", ""
        if chosen == "bastion" and not has_bastion:
            why = "has no bastions"
            if self._text("source") == "api":
                why = "was not asked for bastions in its cloud (source: api)"
            return chosen, f"cluster {cluster['name']} {why}: give bastion, a host to go through, or another address"
        return chosen, ""

    def _reached(self, instance: Mapping[str, Any], way: str, cluster: Read) -> dict[str, str]:
        """The variables by which Ansible reaches a host."""
        public, private, user = instance["public_addresses"], instance["private_addresses"], self._text("ssh_user")
        variables = {"ansible_user": user} if user else {}
        candidates = {"public": public, "either": [*public, *private]}.get(way, private)
        host = next(iter(candidates), "")
        if way == "bastion" and instance["role"] == "bastion" and cluster["bastion"]:
            host = cluster["bastion"]
        elif way == "bastion":
            bastion = self._text("bastion") or cluster["bastion"]
            if user and "@" not in bastion:
                bastion = f"{user}@{bastion}"
            variables["ansible_ssh_common_args"] = f"-o ProxyJump={bastion}"
        return {**variables, "ansible_host": host} if host else variables

    def _name(self, instance: Mapping[str, Any], variables: Mapping[str, Any]) -> tuple[str, str]:
        """The name of a host, or what is wrong with it."""
        expression = self._text("hostname")
        if not expression:
            return str(instance["node"] or instance["id"]), ""
        try:
            name = self._compose(self.get_option("hostname"), dict(variables))
        except AnsibleError as error:
            return "", f"hostname, for instance {instance['id'] or instance['node']}: {error}"
        if not isinstance(name, str) or not name:
            return "", f"hostname, for instance {instance['id'] or instance['node']}: {name!r} is no name"
        return name, ""

    def _add(self, name: str, variables: Mapping[str, Any]) -> None:
        """Put a host into the inventory, with groups and variables; what the user composes comes last and so wins."""
        if self.inventory is None:
            raise AnsibleParserError("there is no inventory")
        self.inventory.add_host(name)
        for key, value in variables.items():
            self.inventory.set_variable(name, key, _untemplated(value))
        for key, prefix in _GROUPED.items():
            value = str(variables[_VARIABLES.get(key, f"kops_{key}")])
            if value:
                group = to_safe_group_name(f"{prefix}_{value}".lower(), force=True, silent=True)
                self.inventory.add_child(self.inventory.add_group(group), name)
        if variables["kops_instance_id"]:
            self.inventory.add_child(self.inventory.add_group(INSTANCES), name)
        strict = bool(self.get_option("strict"))
        self._set_composite_vars(self.get_option("compose"), dict(variables), name, strict=strict)
        everything = self.inventory.get_host(name).get_vars()
        self._add_host_to_composed_groups(self.get_option("groups"), everything, name, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), everything, name, strict=strict)


def _untemplated(value: Any) -> Any:
    """What a cloud says, which must not be evaluated as a template (ansible-core before 2.19 needs to be told)."""
    if isinstance(value, Mapping):
        return {key: _untemplated(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_untemplated(each) for each in value]
    return wrap_var(value) if isinstance(value, str) and "{" in value else value


def _said(error: Exception) -> str:
    """An error for a user; for a library that is missing, what to install."""
    if isinstance(error, ImportError):
        library = LIBRARIES.get((error.name or "").partition(".")[0])
        return f"the Python library {library or error.name} is needed on this machine"
    return str(error)
