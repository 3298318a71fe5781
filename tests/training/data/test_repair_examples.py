"""Damaged files and repairs: the repair restores the file, and the history holds the damage."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.escaping import unescape
from editahead_prompts.formats.next_edit.editahead_2611 import CURSOR, REGION, REGION_END
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.syntax_trees import SyntaxTrees
from editahead_training.data.repair_examples import (
    MAX_EXAMPLE_TOKENS,
    DamagedFile,
    SourceFile,
    argument_added,
    argument_dropped,
    examples_of,
    partial_rename,
    remove_import,
)
from synthetic_records import made_records

PYTHON = """\
import json
from os import path, walk


def total_price(items, tax):
    found = [item for item in items if item.open]
    return sum(found) * tax


def report(items, tax):
    # the total_price of all
    first = total_price(items, tax)
    print(json.dumps(first))
    second = total_price(items, tax)
    for place in walk("."):
        print(place, path.join("a", "b"))
    return first + second
"""
GO = """\
package shop

func price(items []int, rate int) int {
\ttotal := 0
\tfor _, item := range items {
\t\ttotal += item * rate
\t}
\treturn total
}

func both(items []int, rate int) int {
\treturn price(items, rate) + price(items, 2)
}
"""
TYPESCRIPT = """\
import { log } from './log';
import { Item, Order } from './items';

export function price(items: Item[], rate: number): number {
  let total = 0;
  for (const item of items) total += item.cost * rate;
  log('total', total);
  return total;
}

export const shown = (order: Order, rate: number) => {
  return price(order.items, rate);
};
"""
FILES = {"python": PYTHON, "go": GO, "typescript": TYPESCRIPT}
WAYS = (partial_rename, remove_import, argument_added, argument_dropped)


def file(language: str) -> SourceFile:
    return SourceFile(Snapshot.from_text(FILES[language], uri="file:///a", language=language), SyntaxTrees())


def damages(
    way: Callable[[SourceFile, random.Random], DamagedFile | None], language: str
) -> list[DamagedFile]:
    made = [way(file(language), random.Random(seed)) for seed in range(12)]
    return [damage for damage in made if damage is not None]


@pytest.mark.parametrize("language", FILES)
@pytest.mark.parametrize("way", WAYS)
def test_all_of_the_repair_makes_the_file(
    way: Callable[[SourceFile, random.Random], DamagedFile | None], language: str
) -> None:
    found = damages(way, language)
    assert found or (way, language) == (remove_import, "go")
    for damage in found:
        lines = list(damage.now)
        for change in reversed(damage.repair):
            lines[change.start : change.end] = change.lines
        assert "".join(lines) == FILES[language]
        assert "".join(damage.now) != FILES[language]
        assert [edit.open for edit in damage.past] == [False] * (len(damage.past) - 1) + [True]
        for edit in damage.past:
            assert damage.now[edit.line : edit.line + len(edit.new)] == edit.new
            assert edit.old != edit.new


@pytest.mark.parametrize("language", FILES)
def test_what_is_renamed_had_one_other_name_in_all_of_the_code(language: str) -> None:
    for damage in damages(partial_rename, language):
        before = list(damage.now)
        for edit in damage.past:
            before[edit.line : edit.line + len(edit.new)] = edit.old
        assert len(before) == len(damage.now)
        changed = [n for n, line in enumerate(FILES[language].splitlines(keepends=True)) if before[n] != line]
        assert len(changed) >= 2
        assert not any("# the total_price" in edit.new[0] for edit in damage.past)


def test_an_import_is_missing_and_its_use_is_new() -> None:
    for damage in damages(remove_import, "python"):
        (change,) = damage.repair
        assert change.start <= 1
        assert change.lines[0].startswith(("import json", "from os import"))
        assert all(edit.old == () for edit in damage.past)


def test_a_call_follows_its_function() -> None:
    for damage in damages(argument_added, "python"):
        assert damage.past[0].old == ("def total_price(items):\n",)
        assert damage.repair[0].lines == ("    first = total_price(items, tax)\n",)
        assert damage.now[damage.repair[0].start] == "    first = total_price(items)\n"
    for damage in damages(argument_dropped, "python"):
        assert damage.past[0].old[0].count(",") == 2
        assert damage.now[damage.repair[0].start].count(",") == 2


@pytest.mark.parametrize("budget", [600, 736])
def test_examples_fit_parse_and_are_the_same_for_the_same_seed(budget: int) -> None:
    records = [{"path": f"a.{name}", "language": name, "after": text} for name, text in FILES.items()]
    records += [{"path": r.path, "language": r.language, "after": r.after} for r in made_records(6)]
    total = 0
    for record in records:
        made = list(examples_of(record, random.Random(3), bundled_tokenizer(), budget))
        assert made == list(examples_of(record, random.Random(3), bundled_tokenizer(), budget))
        for example in made:
            total += 1
            assert len(example.prompt) <= budget
            assert example.tokens <= MAX_EXAMPLE_TOKENS
            answer = unescape(bundled_tokenizer().decode(example.answer).removesuffix(REGION_END))
            shown = (
                bundled_tokenizer()
                .decode(example.prompt)
                .rpartition(f"{REGION}\n")[2]
                .partition(REGION_END)[0]
            )
            shown = unescape(shown.replace(CURSOR, ""))
            assert answer != shown
            context = record["after"]
            assert set(answer.split("\n")) & set(context.split("\n"))
    assert total > 5


def test_a_language_without_a_grammar_has_none() -> None:
    record = {"path": "a.txt", "language": "plaintext", "after": PYTHON}
    assert not list(examples_of(record, random.Random(1), bundled_tokenizer()))
