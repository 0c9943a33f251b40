"""Links of the site to the pages of the root."""

from __future__ import annotations

import pytest

pytest.importorskip("mkdocs", reason="the site needs the extra docs")

from lite.tools.maintenance.site_hooks import with_site_links


@pytest.mark.parametrize(
    ("page", "link", "expected"),
    [
        ("architecture.md", "](../CONTRIBUTING.md#the-tree)", "](CONTRIBUTING.md#the-tree)"),
        ("guide/faq.md", "](../../CHANGELOG.md)", "](../CHANGELOG.md)"),
        ("guide/faq.md", "](../operators.md)", "](../operators.md)"),
        ("architecture.md", "](glossary.md)", "](glossary.md)"),
    ],
)
def test_links_out_of_docs_lead_to_the_page_of_the_site(page: str, link: str, expected: str) -> None:
    assert with_site_links(f"a [b{link} c", page) == f"a [b{expected} c"
