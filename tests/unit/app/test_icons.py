"""Every icon that the app draws is among those that are copied from Lucide."""

from __future__ import annotations

import re

from kueuelab.app.files import front_files


def test_each_icon_has_its_shapes() -> None:
    files = front_files()
    known = set(
        re.findall(r'^  "([^"]+)": \[', files["app/vendor/lucide.js"].read_text("utf-8"), re.M)
    )
    texts = [
        file.read_text("utf-8")
        for name, file in files.items()
        if re.fullmatch(r"app/\w+\.js", name)
    ]
    drawn = {
        name
        for text in texts
        for call in re.findall(r"\bicon\(([^()]+)\)", text)
        for name in re.findall(r'"([^"]+)"', re.sub(r'=== "\w+"', "", call))
    }
    pages = re.search(r"PAGES = \[([^\]]+)\]", files["app/route.js"].read_text("utf-8"))
    assert pages
    entries = files["app/palette_entries.js"].read_text("utf-8")
    named = set(re.findall(r'\bentry\([^,()]+, "([^"]+)"', entries))
    assert {"search", "right", "down"} <= drawn
    assert {"file", "sun"} <= named
    assert known >= drawn | named | set(re.findall(r'"([^"]+)"', pages[1]))
