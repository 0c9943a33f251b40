"""Hooks of mkdocs: the site includes CONTRIBUTING.md and CHANGELOG.md, which are outside docs/."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md")
_LINK = re.compile(r"\]\(((?:\.\./)*)([\w./-]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root."""
    root = Path(config.docs_dir).parent
    for name in ROOT_PAGES:
        text = (root / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Let links to pages of the root lead to the pages of the site."""
    return with_site_links(markdown, page.file.src_uri)


def with_site_links(markdown: str, page: str) -> str:
    """The text of `page`, a path below docs/, in which pages of the root are beside docs/index.md."""
    depth = page.count("/")

    def inside(match: re.Match[str]) -> str:
        up, target = match.groups()
        if target in ROOT_PAGES and up.count("../") == depth + 1:
            up = up.removeprefix("../")
        return f"]({up}{target}"

    return _LINK.sub(inside, markdown)
