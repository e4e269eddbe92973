# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the boxes of the picture are: in layers, so that all arrows point down (the method of Sugiyama)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.picture.rooms import Part

# More rounds do not change the order of today's parts.
_ROUNDS = 24
# Where an arrow passes a layer: its two ends.
Passing = tuple[str, str]
Item = "str | Passing"


@dataclass(frozen=True)
class Layers:
    """items: of each layer from above, names of parts and passing arrows, in their order from the left."""

    items: tuple[tuple[str | Passing, ...], ...]

    def layer_of(self, item: str | Passing) -> int:
        return next(number for number, layer in enumerate(self.items) if item in layer)

    def way(self, upper: str, lower: str) -> list[str | Passing]:
        """The items from a part to one that it uses."""
        between = self.layer_of(lower) - self.layer_of(upper) - 1
        return [upper, *[(upper, lower)] * between, lower]


def layers_of(parts: Sequence[Part]) -> Layers:
    """Each part is one layer below the lowest part that uses it; arrows that cross are few."""
    depths = {part.name: 0 for part in parts}
    for _round in parts:
        for part in parts:
            for used in part.uses:
                depths[used] = max(depths[used], depths[part.name] + 1)
    layers: list[list[str | Passing]] = [[] for _depth in range(max(depths.values()) + 1)]
    for part in parts:
        layers[depths[part.name]].append(part.name)
        for used in part.uses:
            for depth in range(depths[part.name] + 1, depths[used]):
                layers[depth].append((part.name, used))
    best = _frozen(layers)
    for turn in range(_ROUNDS):
        _sort(layers, parts, down=turn % 2 == 0)
        best = min(best, _frozen(layers), key=lambda found: _crossings(found, parts))
    return best


def _frozen(layers: Sequence[Sequence[str | Passing]]) -> Layers:
    return Layers(tuple(tuple(layer) for layer in layers))


def _sort(layers: list[list[str | Passing]], parts: Sequence[Part], *, down: bool) -> None:
    """Put each item near the middle of its neighbours in the layer before it."""
    steps = _steps(_frozen(layers), parts)
    numbers = range(1, len(layers)) if down else range(len(layers) - 2, -1, -1)
    for number in numbers:
        before = layers[number - 1 if down else number + 1]
        places = {item: index / max(len(before) - 1, 1) for index, item in enumerate(before)}

        def middle(item: str | Passing, number: int = number, places: dict[str | Passing, float] = places) -> float:
            near = [
                places[(upper if down else lower)[1]]
                for upper, lower in steps
                if (lower if down else upper) == (number, item)
            ]
            return sum(near) / len(near) if near else 0.5

        layers[number].sort(key=lambda item: (middle(item), str(item)))


Place = tuple[int, "str | Passing"]


def _steps(layers: Layers, parts: Sequence[Part]) -> list[tuple[Place, Place]]:
    """The pieces of all arrows, from layer to layer."""
    found: list[tuple[Place, Place]] = []
    for part in parts:
        for used in part.uses:
            way = list(enumerate(layers.way(part.name, used), layers.layer_of(part.name)))
            found += list(zip(way, way[1:]))
    return found


def _crossings(layers: Layers, parts: Sequence[Part]) -> int:
    indexes = [{item: index for index, item in enumerate(layer)} for layer in layers.items]
    ends = [
        (upper[0], indexes[upper[0]][upper[1]], indexes[lower[0]][lower[1]]) for upper, lower in _steps(layers, parts)
    ]
    return sum(
        one[0] == other[0] and (one[1] - other[1]) * (one[2] - other[2]) < 0
        for index, one in enumerate(ends)
        for other in ends[:index]
    )
