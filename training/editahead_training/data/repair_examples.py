"""Inverse problems: a correct file is damaged in one small way, and the repair is what a person would do next.

The file as it is after a commit is taken to be right. What stood there before is made up, and so is the history that led to
the half-done state; the answer is always the file's own text:

- rename: a name had another one; its definition and some uses are changed already, the others remain.
- import: a line that uses an import was added, the import is missing.
- argument: a parameter was added to a function or taken from it, and a call has yet to follow.

The damaged text and the repaired one have no more syntax errors than the file.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.base import PromptPaths
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD, HIST
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot, line_body
from editahead_prompts.text.syntax_trees import SyntaxTrees, count_errors

from .example import Example, rewrite
from .replay_moments import ROOT

BUDGET, MAX_EXAMPLE_TOKENS = 736, 1024
"""Tokens of a prompt, and of an example."""

ROOTS = PromptPaths((ROOT,))

MAX_FILE = 20_000
"""Characters. Longer ones are left out: they take long, and the prompt shows little of them."""

RENAMES = 2
"""Names of a file that get another name, at most."""

STAYS, CLOSED = 0.3, 0.5
"""How often the cursor is still where the last edit was made, and how often that edit is a closed one."""

_TRIES = 8
"""Names of a file that are tried for each kind of damage."""

_NAME = re.compile(r"\b[A-Za-z_]\w{2,}\b")
_WORDS = (
    "old",
    "new",
    "my",
    "the",
    "value",
    "item",
    "data",
    "list",
    "count",
    "name",
    "info",
    "tmp",
    "raw",
    "current",
)
_DEFINITION = re.compile(
    r"^[ \t]*(?:(?:async |export |default |pub |static |public |private |protected )*(?:def|function|func|fn) +"
    r"(?:\([^()]*\) *)?|(?!(?:for|if|else|elif|while|with|switch|return|catch|new|case|await|match)\b)"
    r"(?:[A-Za-z][\w<>\[\],*&:]* +)+)"
    r"(?P<name>[A-Za-z_]\w*) *\((?P<parameters>[^()\n]+)\)[^;\n]*[{:]$",
    re.MULTILINE,
)
_NO_PARAMETER = re.compile(r"\*?\*?(?:self|cls|this)|&?(?:mut )?self")


@dataclass(frozen=True, slots=True)
class Change:
    """A replacement of the lines [start, end) of the damaged text by `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DamagedFile:
    """A file in the middle of a change.

    Attributes:
        now: the damaged text's lines.
        past: the user's edits, oldest first.
        repair: the remaining changes, sorted.
    """

    now: tuple[str, ...]
    past: tuple[PastEdit, ...]
    repair: tuple[Change, ...]


def examples_of(
    record: Mapping[str, str], rng: random.Random, vocabulary: HfTokenizer, budget: int = BUDGET
) -> Iterator[Example]:
    """Yield the examples of one record: some renames, an import, an argument added and one removed, where possible.

    None has more than `MAX_EXAMPLE_TOKENS` tokens.
    """
    if len(record["after"]) > MAX_FILE:
        return
    uri = f"{ROOT}/{record['path']}"
    file = SourceFile(
        Snapshot.from_text(record["after"], uri=uri, language=record["language"]), SyntaxTrees()
    )
    if file.errors is None:
        return
    ways: list[Callable[[SourceFile, random.Random], DamagedFile | None]] = [partial_rename] * RENAMES
    for way in (*ways, remove_import, argument_added, argument_dropped):
        damage = way(file, rng)
        example = None if damage is None else _example(file, damage, rng, vocabulary, budget)
        if example is not None:
            yield example


class SourceFile:
    """A correct file, with cached results of its analysis."""

    def __init__(self, snapshot: Snapshot, syntax: SyntaxTrees) -> None:
        tree = syntax.tree(snapshot)
        self.snapshot = snapshot
        self.syntax = syntax
        self.lines = snapshot.lines
        self.errors = None if tree is None else count_errors(tree.root_node)
        self.names = Counter(_NAME.findall(snapshot.text))

    def places(self, name: str) -> list[tuple[int, int]]:
        """Return the offsets of the name."""
        return [found.span() for found in re.finditer(rf"\b{re.escape(name)}\b", self.snapshot.text)]

    def is_sound(self, lines: Sequence[str]) -> bool:
        """Return whether a text has no more syntax errors than the file."""
        snapshot = Snapshot(self.snapshot.uri, self.snapshot.language, 1, tuple(lines))
        tree = self.syntax.tree(snapshot)
        assert tree is not None and self.errors is not None
        return count_errors(tree.root_node) <= self.errors


def partial_rename(file: SourceFile, rng: random.Random) -> DamagedFile | None:
    """Return the file in the middle of a rename: some lines have the new name already, the definition first.

    The name is defined in the file and used at least twice.
    """
    names = sorted(name for name, times in file.names.items() if 3 <= times <= 12)
    for name in rng.sample(names, min(_TRIES, len(names))):
        places = file.places(name)
        kinds = [file.syntax.occurrence(file.snapshot, start, end) for start, end in places]
        defining = next((n for n, kind in enumerate(kinds) if kind.defines), None)
        if defining is None or any(kind.imports or kind.role == "unknown" for kind in kinds):
            continue
        old = _other_name(name, file.names, rng)
        code = [place for place, kind in zip(places, kinds, strict=True) if kind.role != "text"]
        here = list(dict.fromkeys(file.snapshot.line_at(start) for start, _ in code))
        first = file.snapshot.line_at(places[defining][0])
        if old is None or len(here) < 2:
            continue
        others = [line for line in here if line != first]
        done = rng.randint(0, min(len(others) - 1, 4))
        made, left = [first, *others[:done]], others[done:]
        was = {line: _put(file, line, code, old) for line in here}
        now = [was[n] if n in left else line for n, line in enumerate(file.lines)]
        past = _grown([PastEdit(file.snapshot.uri, n, (was[n],), (file.lines[n],)) for n in made])
        return DamagedFile(tuple(now), past, tuple(Change(n, n + 1, (file.lines[n],)) for n in left))
    return None


def _put(file: SourceFile, line: int, places: Sequence[tuple[int, int]], text: str) -> str:
    """Return a line with `text` at those of the places that the line contains."""
    out, base = file.lines[line], file.snapshot.starts[line]
    for start, end in reversed(places):
        if file.snapshot.line_at(start) == line:
            out = out[: start - base] + text + out[end - base :]
    return out


def remove_import(file: SourceFile, rng: random.Random) -> DamagedFile | None:
    """Return the file without an import that is used once or twice; the lines that use it are the latest edits."""
    heads = [n for n, line in enumerate(file.lines) if re.match(r"\s*(?:import|from|use)\b", line)]
    names = sorted(
        {name for n in heads for name in _NAME.findall(file.lines[n]) if 2 <= file.names[name] <= 3}
    )
    for name in rng.sample(names, min(_TRIES, len(names))):
        places = file.places(name)
        kinds = [file.syntax.occurrence(file.snapshot, start, end) for start, end in places]
        lines = [file.snapshot.line_at(start) for start, _ in places]
        head, uses = lines[0], sorted(set(lines) - {lines[0]})
        if head not in heads or not kinds[0].imports or not uses or uses[0] in heads:
            continue
        less = _import_without(file.lines[head], name, _imported(file, head))
        if less is None:
            continue
        now = [*file.lines[:head], *less, *file.lines[head + 1 :]]
        moved = len(less) - 1
        bare = [line for n, line in enumerate(file.lines) if n not in (head, *uses)]
        if not file.is_sound(bare):
            continue  # no lines that a person adds by themselves
        uri = file.snapshot.uri
        past = _grown([PastEdit(uri, n + moved, (), (file.lines[n],)) for n in uses])
        return DamagedFile(tuple(now), past, (Change(head, head + len(less), (file.lines[head],)),))
    return None


def argument_added(file: SourceFile, rng: random.Random) -> DamagedFile | None:
    """Return the file with a new last parameter of a function that calls lack.

    Only where the parameter's name shows what the calls pass.
    """
    for definition, calls in _called(file, rng):
        parameters, name = _parts(definition["parameters"]), definition["name"]
        given = re.compile(
            rf"(?:[\w.]+\.)?_?{re.escape(_named(parameters[-1], file.snapshot.language))}\W*", re.I
        )
        wanted = [call for call in calls if given.fullmatch(_parts(call["arguments"])[-1])]
        if wanted:
            return _changed_call(file, name, definition, wanted, lambda parts: parts[:-1])
    return None


def argument_dropped(file: SourceFile, rng: random.Random) -> DamagedFile | None:
    """Return the file after the removal of a parameter of a function whose calls still pass it."""
    for definition, calls in _called(file, rng):
        parameters, language = _parts(definition["parameters"]), file.snapshot.language
        like = parameters[-1].partition("=")[0].strip()
        known = _named(like, language)
        made_up = _other_name(known, file.names, rng)
        if made_up is None or not known.isidentifier() or "..." in like or "*" in like:
            continue
        more = re.sub(rf"\b{re.escape(known)}\b", made_up, like)
        text = rng.choice((made_up, made_up, "0", '""'))

        earlier = partial(_with_one, parameters, more, text)
        return _changed_call(file, definition["name"], definition, calls, earlier)
    return None


def _with_one(parameters: list[str], more: str, text: str, parts: list[str]) -> list[str]:
    return [*parts, more if parts == parameters else text]


def _called(file: SourceFile, rng: random.Random) -> Iterator[tuple[re.Match[str], list[re.Match[str]]]]:
    """Yield definitions with parameters, and their single-line calls with equally many arguments."""
    definitions = list(_DEFINITION.finditer(file.snapshot.text))
    for definition in rng.sample(definitions, min(_TRIES, len(definitions))):
        count = sum(not _NO_PARAMETER.fullmatch(part) for part in _parts(definition["parameters"]))
        if not count or not 2 <= file.names[definition["name"]] <= 8:
            continue
        calls = [
            call
            for call in re.finditer(rf"\b{definition['name']}\((?P<arguments>[^()\n]+)\)", file.snapshot.text)
            if not definition.start() <= call.start() < definition.end()
            and len(_parts(call["arguments"])) == count
            and "*" not in call["arguments"]
        ]
        if calls:
            yield definition, calls


def _changed_call(
    file: SourceFile,
    name: str,
    definition: re.Match[str],
    calls: Sequence[re.Match[str]],
    earlier: Callable[[list[str]], list[str]],
) -> DamagedFile | None:
    """Return the damaged file of a changed definition; `earlier` maps parameters, or arguments, to the former ones."""
    snapshot, text = file.snapshot, file.snapshot.text

    def before(line: int, found: re.Match[str], group: str) -> str:
        start, end = (at - snapshot.starts[line] for at in found.span(group))
        return file.lines[line][:start] + ", ".join(earlier(_parts(found[group]))) + file.lines[line][end:]

    assert text[definition.start("name") : definition.end("name")] == name
    at = snapshot.line_at(definition.start("parameters"))
    was = before(at, definition, "parameters")
    now, repair = list(file.lines), []
    for call in calls:
        line = snapshot.line_at(call.start())
        if now[line] == file.lines[line] and line != at:
            now[line] = before(line, call, "arguments")
            repair.append(Change(line, line + 1, (file.lines[line],)))
    if not repair:
        return None
    past = _grown([PastEdit(snapshot.uri, at, (was,), (file.lines[at],))])
    return DamagedFile(tuple(now), past, tuple(repair))


def _parts(listed: str) -> list[str]:
    return [part.strip() for part in listed.split(",")]


def _named(parameter: str, language: str) -> str:
    """Return the name of a parameter from its declaration."""
    bare = re.split(r"[:=]", parameter)[0].strip()
    words = bare.split()
    return (words[-1] if language in ("java", "c", "cpp") else words[0]).lstrip("*&") if words else ""


def _other_name(name: str, known: Mapping[str, int], rng: random.Random) -> str | None:
    """Return a possible other name in the same style that the file does not contain."""
    snake = "_" in name.strip("_") or name.islower()
    parts = [
        part
        for part in (name.split("_") if snake else re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name))
        if part
    ]
    if not parts or (not snake and "".join(parts) != name):
        return None
    word = rng.choice(_WORDS)
    word = word.upper() if name.isupper() else word
    kind = rng.choice(("before", "behind", "instead", "less"))
    at = rng.randrange(len(parts))
    if kind == "less" and len(parts) > 1:
        parts.pop(at)
    elif kind == "instead":
        parts[at] = word
    else:
        parts.insert(0 if kind == "before" else len(parts), word)
    if snake:
        other = "_".join(parts)
    else:
        first = parts[0].lower() if name[0].islower() else parts[0][0].upper() + parts[0][1:]
        other = first + "".join(part[0].upper() + part[1:] for part in parts[1:])
    return other if other not in known and len(other) > 2 and other != name else None


def _imported(file: SourceFile, line: int) -> int:
    """Return how many names an import's line imports."""
    base = file.snapshot.starts[line]
    spans = (
        (base + found.start(), base + found.end())
        for found in re.finditer(r"\b[A-Za-z_]\w*\b", file.lines[line])
    )
    return sum(file.syntax.occurrence(file.snapshot, start, end).imports for start, end in spans)


def _import_without(line: str, name: str, count: int) -> tuple[str, ...] | None:
    """Return the import's line without a name, as lines: none where the line imports nothing else."""
    if count <= 1:
        return () if "(" not in line or ")" in line else None
    less = re.sub(rf",\s*\b{name}\b(?!\s+as\b)|\b{name}\b\s*,\s*", "", line, count=1)
    return (less,) if less != line else None


def _grown(edits: Sequence[PastEdit]) -> tuple[PastEdit, ...]:
    """Return edits in order as a history has them: neighbours are joined, and the last one is open."""
    out: list[PastEdit] = []
    for step, edit in enumerate(edits):
        old, new, line = edit.old, edit.new, edit.line
        if out and out[-1].line + len(out[-1].new) == line:
            last = out.pop()
            old, new, line = last.old + old, last.new + new, last.line
        out.append(PastEdit(edit.uri, line, old, new, at=float(step), open=step == len(edits) - 1))
    return tuple(out)


def _example(
    file: SourceFile, damage: DamagedFile, rng: random.Random, vocabulary: HfTokenizer, budget: int
) -> Example | None:
    document = Snapshot(file.snapshot.uri, file.snapshot.language, 2, damage.now)
    *earlier, last = damage.past
    past = (*earlier, replace(last, open=rng.random() >= CLOSED))
    line = min(rng.choice(damage.repair[:3]).start, len(damage.now) - 1)
    column = rng.choice((0, len(line_body(damage.now[line]))))
    if rng.random() < STAYS and last.new:
        line = last.line + len(last.new) - 1
        column = len(line_body(damage.now[line]))
    try:
        state = EditorState(document, document.starts[line] + column, past)
        request = EDITAHEAD.build(state, vocabulary, budget=budget, paths=ROOTS)
    except PromptTooLongError:
        return None
    region = request.region
    is_known = HIST in request.prompt.text or (not last.old and region.first <= last.line < region.end)
    repair = [c for c in damage.repair if region.first <= c.start < region.end and c.end <= region.end]
    if not repair or not is_known:
        return None
    new, repaired = list(damage.now[region.first : region.end]), list(damage.now)
    for change in reversed(repair):
        new[change.start - region.first : change.end - region.first] = change.lines
        repaired[change.start : change.end] = change.lines
    if not file.is_sound(damage.now) or not file.is_sound(repaired):
        return None
    ids = request.prompt.ids
    assert ids is not None
    example = rewrite("repair", ids, region.bodies(document), tuple(map(line_body, new)), vocabulary)
    return example if example.tokens <= MAX_EXAMPLE_TOKENS else None
