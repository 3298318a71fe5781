"""What a file is for, by its name."""

from __future__ import annotations

import re

from editahead_prompts.text.word_patterns import WordPattern

from .report import PlaceKind

_TRANSLATION = re.compile(
    r"(?:^|/)(?:locales?|i18n|l10n|translations?|lang)/|\.(?:po|pot|arb|strings|xlf|xliff|resx|ftl)$"
)
_DOCUMENTATION = re.compile(
    r"\.(?:md|markdown|mdx|rst|adoc|asciidoc|txt|tex|org|textile|html?|ipynb)$"
    r"|(?:^|/)(?:readme|changelog|changes|contributing|authors|history|news)[^/]*$",
    re.IGNORECASE,
)
_TEST = WordPattern(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|testing|testdata)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_tests?|[^/]*[.-](?:test|spec)|[^/]*Tests?)\.\w+$"
)


def file_kind(uri: str, *, is_code: bool) -> PlaceKind:
    """Return what a file is for.

    Args:
        uri: The file.
        is_code: Whether its language is one that is parsed.
    """
    if _TRANSLATION.search(uri):
        return "translation"
    if is_code:
        return "test" if _TEST.search(uri) else "code"
    return "documentation" if _DOCUMENTATION.search(uri) else "configuration"
