"""Words that are no uses of a renamed name: names of attributes, and texts in which nothing is replaced."""

from __future__ import annotations

import pytest

from follow_ups import follow_up_texts
from state_builder import Person


def results(text: str, old: str, new: str, language: str) -> set[str]:
    """Return the texts after each edit that follows a replacement."""
    return follow_up_texts(Person(text, language=language).replace(old, new))


SVELTE = "<script>\n  let value = 1;\n  show(value);\n</script>\n\n{}\n"


@pytest.mark.parametrize(
    "line",
    [
        "<input {value} />",
        "<input {value}>",
        "<Field type='a' {value} on:click={() => go(1)} />",
        "<Field\n  {value}\n/>",
        "<input bind:value />",
        '<input value="a" />',
    ],
)
@pytest.mark.parametrize("language", ["svelte", "astro"])
def test_the_name_of_an_attribute_is_not_renamed_with_a_variable(line: str, language: str) -> None:
    found = results(SVELTE.format(line).replace("{}", ""), "let value", "let amount", language)
    assert all(line in text for text in found)


@pytest.mark.parametrize("line", ["<p>{value}</p>", "<p> {value} </p>", "<input max={value} />", "{value}"])
def test_a_value_in_markup_follows_a_variable(line: str) -> None:
    found = results(SVELTE.replace("{}", line), "let value", "let amount", "svelte")
    assert any(line.replace("value", "amount") in text for text in found)


def test_an_attribute_of_vue_keeps_its_name() -> None:
    text = '<script setup>\nconst title = "a";\nshow(title);\n</script>\n<template>\n  <Card :title />\n</template>\n'
    assert all("<Card :title />" in each for each in results(text, "const title", "const label", "vue"))


def test_a_renamed_attribute_is_renamed_in_other_tags() -> None:
    text = '<a-card heading="a" />\n<a-card heading="b" />\n<a-card heading="c" />\n'
    person = (
        Person(text, language="html")
        .replace('heading="a"', 'caption="a"')
        .replace('heading="b"', 'caption="b"')
    )
    assert any('caption="c"' in each for each in follow_up_texts(person))


@pytest.mark.parametrize(
    ("language", "begin", "end", "is_literal"),
    [
        ("shellscript", "cat << 'EOF' > a.sh", "EOF", True),
        ("shellscript", 'cat <<"EOF"', "EOF", True),
        ("shellscript", "cat <<-\\EOF", "\tEOF", True),
        ("shellscript", "cat << EOF", "EOF", False),
        ("shellscript", "cat <<-EOF", "\tEOF", False),
        ("php", "$a = <<<'END'", "END;", True),
        ("php", '$a = <<<"END"', "END;", False),
        ("perl", "print <<'END';", "END", True),
    ],
)
def test_a_text_that_is_literal_keeps_its_words(
    language: str, begin: str, end: str, is_literal: bool
) -> None:
    text = f"folder=/tmp\nuse $folder\n{begin}\ngo $folder\n{end}\nuse $folder/b\n"
    person = (
        Person(text, language=language).replace("folder=", "root=").replace("use $folder\n", "use $root\n")
    )
    texts = follow_up_texts(person)
    assert any("go $root" in each for each in texts) == (not is_literal)
    assert any("use $root/b" in each for each in texts)
