"""What a path tells of a file: whether it is a test, an example, a service's settings, or made by a program."""

from __future__ import annotations

import re

_TEST = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__|__mocks__|testdata|test-data|fixtures|e2e|benchmarks?|bench)(/|$)"
    r"|(^|/)(test_[^/]*|conftest\.py|[^/]*([_.-](test|tests|spec)|(?<=[a-z0-9])(Test|Tests|IT|Spec))\.[a-z]+)$"
)
_EXAMPLE = re.compile(r"(^|/)(examples?|samples?|demos?|tutorials?|playground)(/|$)|(^|/)docs?_src(/|$)")
_GENERATED = re.compile(
    r"(^|/)(vendor|third_party|_vendor|node_modules|dist|build|generated|_generated)(/|$)"
    r"|(\.min\.(js|css)|\.lock|[-.]lock\.(json|yaml)|\.map|_pb2(_grpc)?\.pyi?|\.pb\.go|\.svg|\.snap|\.po|\.csv)$"
)
_AUTOMATION = re.compile(
    r"(^|/)\.(github|gitlab|circleci|buildkite|azure-pipelines|devcontainer|woodpecker)(/|$)"
    r"|(^|/)(\.gitlab-ci|\.travis|\.pre-commit-config|\.readthedocs|azure-pipelines|appveyor|renovate|dependabot)[^/]*$"
)
_PROSE = frozenset({"md", "rst", "txt", "adoc", "markdown", ""})
_DATA = frozenset({"json", "yaml", "yml", "toml", "cfg", "ini", "xml", "html", "css", "scss", "properties"})


def is_test(path: str) -> bool:
    """Return whether a file belongs to tests, by its path."""
    return _TEST.search(path) is not None


def is_example(path: str) -> bool:
    """Return whether a file is an example."""
    return _EXAMPLE.search(path) is not None


def is_generated(path: str) -> bool:
    """Return whether a file is another project's, or written by a program."""
    return _GENERATED.search(path) is not None


def is_automation(path: str) -> bool:
    """Return whether a file tells a service what to do with the repository, such as a workflow of GitHub."""
    return _AUTOMATION.search(path) is not None


def is_prose(path: str) -> bool:
    """Return whether a file is text for people."""
    return _extension(path) in _PROSE


def is_data(path: str) -> bool:
    """Return whether a file is settings, data or markup."""
    return _extension(path) in _DATA


def is_code(path: str) -> bool:
    """Return whether a file is code of the project itself: none of the kinds above."""
    kinds = (is_test, is_example, is_generated, is_automation, is_prose, is_data)
    return not any(is_kind(path) for is_kind in kinds)


def _extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
