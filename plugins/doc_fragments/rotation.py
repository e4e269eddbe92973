# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules that rotate keys."""

from __future__ import annotations


class ModuleDocFragment:
    """Which keys, and how far."""

    DOCUMENTATION = r"""
options:
  keysets:
    description:
      - Names of keysets, or V(encryptionconfig) for the key of encryption at rest.
      - V(all), or nothing, means all keysets that can be rotated, and the key of encryption at rest.
    type: list
    elements: str
    default: []
  before:
    description:
      - Key pairs that sign, and keys that encrypt, are replaced if they were made before this moment. It is a moment
        such as V(2026-05-08T12:00:00Z), or an age such as V(90d) or V(12h).
      - Without it nothing new begins; what was begun is completed. So a run that was interrupted is completed by
        running it again, with the same moment or with none.
    type: str
  until:
    description:
      - The last step that is taken. With V(present), the cluster trusts the new key pairs, and still uses the old ones;
        then users can get new kubeconfigs. With V(promoted), it uses the new ones, and still trusts the old ones.
    type: str
    choices: [present, promoted, distrusted]
    default: distrusted
"""
