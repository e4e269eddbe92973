# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture as SVG. Its colours follow the reader's scheme, on a ground of its own, so it is legible on any page."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence

from ansible_collections.kubeops.kops.tests.picture.layers import Layers, Passing
from ansible_collections.kubeops.kops.tests.picture.rooms import Part

_WIDTH, _BOX, _HIGH, _LAYER, _EDGE = 1000, 176, 84, 130, 24
_LINE = 18
# Letters of a line that fit into a box.
_LETTERS = 22
_STYLE = """\
.ground { fill: #ffffff; stroke: #d0d7de }
.box { fill: #eef4fb; stroke: #3b6ea5; stroke-width: 1.5 }
.reaching { fill: #fdf3e1; stroke: #a86a12 }
.arrow { fill: none; stroke: #6b7885; stroke-width: 1.5 }
.head { fill: #6b7885 }
text { font-family: system-ui, sans-serif; text-anchor: middle; fill: #1f2328 }
.name { font-size: 17px; font-weight: 600 }
.subject { font-size: 13px }
.outside { font-size: 13px; font-style: italic }
@media (prefers-color-scheme: dark) {
  .ground { fill: #161b22; stroke: #30363d }
  .box { fill: #1d2f45; stroke: #79b0ea }
  .reaching { fill: #3d2e12; stroke: #e3b05c }
  .arrow { stroke: #9aa7b4 }
  .head { fill: #9aa7b4 }
  text { fill: #e6edf3 }
}"""
_TITLE = (
    "The parts of the collection. An arrow points to a part that is used; parts in another colour reach what they name."
)


def picture(parts: Sequence[Part], layers: Layers) -> str:
    """The text of the file."""
    high = _LAYER * (len(layers.items) - 1) + _HIGH + 2 * _EDGE
    arrows = [_arrow(layers, part.name, used) for part in parts for used in part.uses]
    boxes = [_box(layers, part) for part in parts]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {high}" role="img">',
            f"<title>{html.escape(_TITLE)}</title>",
            f"<style>\n{_STYLE}\n</style>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"'
            ' orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>',
            f'<rect class="ground" x="1" y="1" width="{_WIDTH - 2}" height="{high - 2}" rx="12"/>',
            *arrows,
            *boxes,
            "</svg>\n",
        )
    )


def _middle(layers: Layers, number: int, item: str | Passing) -> int:
    """The middle of an item from the left. A passing arrow needs less room than a box."""
    layer = layers.items[number]
    widths = [1.0 if isinstance(each, str) else 0.35 for each in layer]
    unit = (_WIDTH - 2 * _EDGE) / sum(widths)
    index = layer.index(item)
    return round(_EDGE + unit * (sum(widths[:index]) + widths[index] / 2))


def _top(number: int) -> int:
    return _EDGE + number * _LAYER


def _arrow(layers: Layers, upper: str, lower: str) -> str:
    """A curve from the lower side of a box, past the layers between, to the upper side of another."""
    first = layers.layer_of(upper)
    way = layers.way(upper, lower)
    x, y = _middle(layers, first, upper), _top(first) + _HIGH
    drawn = f"M{x} {y}"
    for number, item in enumerate(way[1:], first + 1):
        to, top = _middle(layers, number, item), _top(number)
        half = (y + top) // 2
        drawn += f"C{x} {half} {to} {half} {to} {top}"
        x, y = to, top
        if number < first + len(way) - 1:
            y = top + _HIGH
            drawn += f"V{y}"
    return f'<path class="arrow" marker-end="url(#head)" d="{drawn}"/>'


def _box(layers: Layers, part: Part) -> str:
    number = layers.layer_of(part.name)
    x, y = _middle(layers, number, part.name), _top(number)
    kind = "box reaching" if part.outside else "box"
    lines = [("name", part.name), *(("subject", line) for line in textwrap.wrap(part.subject, _LETTERS))]
    if part.outside:
        lines.append(("outside", f"↔ {part.outside}"))
    start = y + (_HIGH - _LINE * (len(lines) - 1)) // 2 + 5
    texts = "".join(
        f'<text class="{style}" x="{x}" y="{start + _LINE * index}">{html.escape(text)}</text>'
        for index, (style, text) in enumerate(lines)
    )
    return f'<rect class="{kind}" x="{x - _BOX // 2}" y="{y}" width="{_BOX}" height="{_HIGH}" rx="8"/>{texts}'
