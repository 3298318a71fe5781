"""Parsing of paths and language names in sketches."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editahead_prompts.errors import InvalidNameError
from editahead_prompts.syntax.languages import known_language_of, language_of_word

from .file_words import says_new
from .quoted_names import unquote_name


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHELL_WORDS = _words(
    "bash sh shell zsh console terminal shell-session powershell ps1 cmd bat text txt plaintext output log"
)
"""Language words of fences that do not hold a file's code, unless no other fence does."""

_WORDS_OF_EXTENSION = {
    "yml": _words("yaml"),
    "yaml": _words("yml"),
    "jsonc": _words("json"),
    "htm": _words("html"),
    "cs": _words("csharp"),
    "rb": _words("ruby"),
    "sh": _words("bash shell zsh"),
    "bash": _words("sh shell"),
    "ps1": _words("powershell"),
    "txt": _words("text plaintext"),
    "dockerfile": _words("docker"),
    "makefile": _words("make"),
    "tf": _words("hcl terraform"),
}
"""The words of fences for files whose extension differs from them, where no language that is known has either."""

_SEGMENT = r"[\w.@+~$%()\[\]-]+"
_PATH = re.compile(rf"(?:[A-Za-z]:[/\\]|[/\\])?(?:{_SEGMENT}[/\\])*{_SEGMENT}")
_NAMED = re.compile(r"\.?[\w@+~$\[\]-][\w.@+~$()\[\]-]*\.[A-Za-z][\w+-]{0,9}|Makefile|Dockerfile|\.\w[\w.-]+")
"""Pattern of a file's name: with an extension, or a known name without one."""

_LABEL = re.compile(r"(?:file ?path|file ?name|file(?: ?\d{1,3})?|path)\s*[:=]\s*", re.IGNORECASE)
_TAG = re.compile(r"<(path|file|filename|file_path)>(.{1,400})</\1>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""(?:title|file ?name|file|path|filepath)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'}]+))""", re.IGNORECASE
)
_QUOTED = re.compile(r"`([^`\s]+)`")
_COMMENT = re.compile(r"(?:#|//|--|;|%|/\*|<!--|\{/\*)\s*(.*?)\s*(?:\*/\}?|-->)?")
_NOTE = re.compile(
    r"\s*\((?:new|new file|updated|modified|edited|changed|existing|unchanged)\)", re.IGNORECASE
)

_LINES_BEFORE = re.compile(r"\A\d+[-:](?:\d+:)?(?=\D)")
_LINES_AFTER = re.compile(
    r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?|,?\s\(?lines? \d+(?:\s?[-\u2013]\s?\d+)?\)?)\Z", re.IGNORECASE
)
_HEADING = re.compile(r"#{1,6}\s|\*\*.*\*\*:?\Z")
_ICON = re.compile(r"\A[^\w\s!-~]+\s+")
_PLACED = _words(
    "at change create edit file for from in inside into modify of open replace to update updated within"
)
"""Words before a path in a sentence about the file's change, in lower case."""
_MADE = _words("add adding as called create creating file named")
"""Words before the path of a new file."""
_ARTICLES = _words("a an new the")

_MAX_CHARS = 400
"""Longest line that can name a file, in characters."""


def parse_path(text: str) -> str | None:
    """Parse a path, and return it with `/`; None for text with white space or without a file's name at the end."""
    text = unquote_name(text.strip()) or ""
    if not text or len(text) > _MAX_CHARS or not _PATH.fullmatch(text) or text.strip(".") == "":
        return None
    path = text.replace("\\", "/")
    if path[0] == "@" and "/" not in path:
        return None  # a decorator
    return path if _NAMED.fullmatch(path.rsplit("/", 1)[-1]) else None


def parse_location(text: str) -> str | None:
    """Parse a path that may have a range of lines before or after it, such as `12:15:a.py`, `a.py:12-15`, `a.py#L12`."""
    return parse_path(_LINES_AFTER.sub("", _LINES_BEFORE.sub("", text.strip(), count=1)))


def path_of_line(line: str) -> str | None:
    """Return the path that a line names.

    The path is bare, in backticks or bold, a heading, after `File:`, before a colon, or in a `<path>` tag. In a sentence
    that ends in a colon, the path is in backticks and has a folder.
    """
    text = line.strip()
    if not text or len(text) > _MAX_CHARS:
        return None
    if tag := _TAG.search(text):
        return tagged_path(tag[2])
    plain = re.sub(r"^(?:#{1,6}|[-*+]|\d+[.)])\s+", "", text)
    plain = _NOTE.sub("", _ICON.sub("", plain, count=1).replace("**", "")).strip()
    plain = _LABEL.sub("", plain.rstrip(":").strip(), count=1)
    plain = _LINES_AFTER.sub("", plain).strip("`*'\" ").rstrip(":")
    if found := parse_location(plain):
        return found
    quoted = [found for found in map(parse_path, _QUOTED.findall(text)) if found]
    if text.endswith(":") and len(quoted) == 1 and "/" in quoted[0]:
        return quoted[0]
    return None


def path_in_prose(line: str, word: str | None) -> str | None:
    """Return the only path that a line of prose above a fence names.

    The line is a heading, begins with the path, or has the path after a word such as "in" or "update". A name without a
    folder is in backticks or bold, and its extension is that of the fence's language. The name of a new file need not be.

    Args:
        word: The language word of the fence.
    """
    text = line.strip()
    if not text or len(text) > _MAX_CHARS or text.endswith((".", "!", "?")):
        return None
    tokens = [token.strip(",;:()[]") for token in text.replace("](", "] ").split()]
    found = _only_path(tokens, word, is_new=says_new(text))
    if found is None:
        return None
    path, number = found
    if word in SHELL_WORDS and not _is_of_language(path, word):
        return None
    return path if _HEADING.match(text) or _introduces(tokens[:number], is_new=says_new(text)) else None


def _only_path(tokens: Sequence[str], word: str | None, *, is_new: bool) -> tuple[str, int] | None:
    """Return the only path among the words of a line, with the number of the first word that is it."""
    named: dict[str, int] = {}
    for number, token in enumerate(tokens):
        path = parse_location(token.strip("`*\"'"))
        if path is None:
            continue
        is_marked = token != token.strip("`*") and _is_of_language(path, word)
        if "/" in path or is_marked or (is_new and _last_word(tokens[:number]) in _MADE):
            named.setdefault(path, number)
    if len(named) > 1:
        named = {path: number for path, number in named.items() if "/" in path}
    return next(iter(named.items())) if len(named) == 1 else None


def _introduces(tokens: Sequence[str], *, is_new: bool) -> bool:
    """Return whether words can be before the path of a file that changes; `is_new`: whether the line says that it is new."""
    if not re.search(r"[^\W\d]", " ".join(tokens)):
        return True
    return tokens[-1].lower() in _PLACED or (is_new and _last_word(tokens) in _MADE)


def _last_word(tokens: Sequence[str]) -> str:
    """Return the last word, in lower case, that is no article; "" if there is none."""
    words = (token.lower() for token in reversed(tokens))
    return next((word for word in words if word not in _ARTICLES), "")


def _is_of_language(path: str, word: str | None) -> bool:
    """Return whether a path's extension is that of a fence's language."""
    if word is None:
        return False
    extension = path.rsplit(".", 1)[-1].lower()
    language = language_of_word(word)
    if word == extension or word in _WORDS_OF_EXTENSION.get(extension, ()):
        return True
    return language is not None and known_language_of(path) == language


def path_of_comment(line: str, known: str | None, word: str | None = None) -> str | None:
    """Return the path that a comment consists of.

    The path follows `file:` or a similar label, has a folder, or is the name of the file that the sketch is for. Where that
    file is not known, the extension is that of the fence's language.

    Args:
        known: The path of the file that the sketch is for, if known.
        word: The language word of the fence.
    """
    match = _COMMENT.fullmatch(line.strip()) if len(line) <= _MAX_CHARS else None
    if match is None:
        return None
    text = _NOTE.sub("", match[1])
    label = _LABEL.match(text)
    found = parse_path((text[label.end() :] if label else text).strip("`'\" "))
    if found is None or label or "/" in found:
        return found
    is_meant = _is_of_language(found, word) if known is None else known.rsplit("/", 1)[-1] == found
    return found if is_meant else None


def tagged_path(text: str) -> str | None:
    """Return a labelled path, which may be any printable text; None for `/dev/null` and for empty text."""
    name = unquote_name(text.strip())
    path = "" if name is None else name.strip('"').replace("\\", "/")
    return None if not path or path == "/dev/null" else path


def path_of_header(text: str, at: int) -> str:
    """Return a name from a patch's header, decoded where git has quoted it.

    Args:
        at: The header's line in the sketch.

    Raises:
        InvalidNameError: The name cannot be decoded or shown.
    """
    name = unquote_name(text.strip())
    if name is None:
        raise InvalidNameError("this line names a file in characters that are not text", at, at + 1)
    return name


def parse_info_string(info: str) -> tuple[str | None, str | None]:
    """Parse a fence's info string to its word, in lower case, and the path.

    Examples:
    `python`, `ts:src/a.ts`, `ts src/a.ts`, `src/a.ts`, `12:15:src/a.ts`, `ts title="src/a.ts"`, `{.ts filename=a.ts}`.
    """
    info = info.strip()[:_MAX_CHARS]
    word, path = _word_and_path(info) if info else ("", None)
    return word.lower() or None, path


def _word_and_path(info: str) -> tuple[str, str | None]:
    """Return the word of an info string, "" without one, and the path."""
    first, _, rest = info.partition(" ")
    if attribute := _ATTRIBUTE.search(info):
        path = tagged_path(_LINES_AFTER.sub("", next(filter(None, attribute.groups()))))
        return "" if attribute.start() == 0 else re.split(r"[\s{,:]", info.lstrip("{."))[0], path
    if _LINES_BEFORE.match(first):
        return "", parse_location(first)
    word, _, after = first.partition(":")
    if path := parse_location(after):
        return word, path
    if path := parse_location(rest):
        return first, path
    if re.search(r"[/.]", first) and language_of_word(first) is None and (path := parse_location(first)):
        return "", path
    return word.strip("{}."), None
