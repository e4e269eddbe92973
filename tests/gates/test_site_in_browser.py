# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages of the site look like, in a browser: no message of the theme or of Sphinx, no picture that is missing.

It looks at the pages that the gate test_site.py builds. One browser loads one page after the other.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.gates.test_site import build_site
from ansible_collections.kubeops.kops.tests.support.browser import browse, found, needs_browser

# Of a phone, and of a desk.
WIDTHS = (390, 1280)
# Pages -> the words of the theme and of Sphinx, what is missing, and how much of the page is outside of the window.
LOOK = """<!doctype html><body><iframe style="width:%(width)dpx;height:900px;border:0"></iframe><script>
const pages = %(pages)s, told = [], frame = document.querySelector("iframe");
const words = (each, place) => frame.contentWindow.getComputedStyle(each, place).content;
function look() {
  const page = frame.contentDocument, all = [...page.querySelectorAll("main *, article *, [role=main] *")];
  const placed = all.flatMap(each => [words(each, "::before"), words(each, "::after")]);
  told.push({
    page: pages[told.length],
    errors: [...new Set(placed.filter(each => /error|warning/i.test(each)))],
    messages: page.querySelectorAll(".system-message, .problematic").length,
    pictures: [...page.images].filter(each => !each.naturalWidth).map(each => each.src),
    titles: [...page.querySelectorAll("h1")].filter(each => each.offsetHeight && each.textContent.trim()).length,
    outside: page.documentElement.scrollWidth - %(width)d,
  });
  next();
}
function next() {
  if (told.length < pages.length) frame.src = pages[told.length];
  else document.body.innerText = "found " + JSON.stringify(told) + " end";
}
frame.onload = look;
next();
</script>"""


@pytest.fixture(scope="module", name="site")
def made() -> pathlib.Path:
    return build_site()


def looked_at(folder: pathlib.Path, pages: list[str], width: int) -> dict[str, dict[str, Any]]:
    look = folder / "look.html"
    look.write_text(LOOK % {"width": width, "pages": json.dumps(pages)}, encoding="utf-8")
    try:
        options = (f"--window-size={width + 40},1000", "--virtual-time-budget=600000", "--dump-dom")
        return {each.pop("page"): each for each in found(browse(folder, *options, str(look)))}
    finally:
        look.unlink()


@pytest.mark.long
@needs_browser
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_look_well(site: pathlib.Path, width: int) -> None:
    own = {"genindex.html", "search.html"}
    pages = sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if path.name not in own)
    assert len(pages) > 100
    shown = looked_at(site, pages, width)
    assert list(shown) == pages
    wanted = {"errors": [], "messages": 0, "pictures": [], "titles": 1}
    wrong = {
        page: found
        for page, found in shown.items()
        if found["outside"] > 1 or {key: found[key] for key in wanted} != wanted
    }
    assert wrong == {}


@needs_browser
def test_a_page_that_looks_bad_is_found(tmp_path: pathlib.Path) -> None:
    (tmp_path / "bad.html").write_text(
        """<!doctype html><style>.contents::before { content: "ERROR: no contents" }</style>
        <main><div class="contents">x</div><img src="gone.png"><p class="system-message">x</p>
        <div style="width:3000px">x</div></main>"""
    )
    shown = looked_at(tmp_path, ["bad.html"], 390)["bad.html"]
    assert shown["errors"] == ['"ERROR: no contents"']
    assert (shown["messages"], shown["titles"], len(shown["pictures"])) == (1, 0, 1)
    assert shown["outside"] > 2000
