"""Placeholders in place of secrets, and the way back."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.secrets import substitution
from editahead_prompts.secrets.masked_state import mask_question, mask_state, restore_edit
from editahead_prompts.secrets.masking import MAX_KNOWN, Masks, SecretMasker, make_placeholder, mask_text
from editahead_prompts.state import Diagnostic, EditorState, PastEdit, RelatedCode
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from secret_corpus import ALNUM, draw

TOKEN = "ghp_" + "Zk3mQ9vT2xLw8RbN4cHs7YpD1fGj6A0uEo5i"
"""The form of a token of GitHub; no real one."""
SECRET = TOKEN.removeprefix("ghp_")
LINES = st.text(st.sampled_from("ab =\n\r\"'é𝑥"), max_size=30)
TOKENS = st.text(st.sampled_from("abcdefXYZ0123456789"), min_size=8, max_size=50).map("ghp_".__add__)


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(st.lists(st.one_of(LINES, TOKENS), max_size=8))
def test_masked_and_restored_is_the_same(pieces: list[str]) -> None:
    text = " ".join(pieces)
    masks = SecretMasker().masks_for([], [text])
    masked = masks.mask(text)
    assert masks.restore(masked) == text
    assert units(masked) == units(text) and len(masked) == len(text)
    assert [char for char in masked if char in "\r\n"] == [char for char in text if char in "\r\n"]
    assert all(piece not in masked for piece in pieces if piece.startswith("ghp_"))


@given(st.text(min_size=1), st.integers(0, 10**6))
def test_a_placeholder_is_as_long_as_its_secret(secret: str, number: int) -> None:
    placeholder = make_placeholder(secret, number)
    assert (len(placeholder), units(placeholder)) == (len(secret), units(secret))


def test_a_placeholder_tells_nothing_of_its_secret() -> None:
    assert make_placeholder("abcdefgh12345678", 3) == make_placeholder("hgfedcba87654321", 3)
    assert make_placeholder("abcdefgh12345678", 3) != make_placeholder("abcdefgh12345678", 4)
    assert make_placeholder("!!!!----", 0).isalpha(), "signs do not stay where there is little else"


def test_pieces_are_masked_and_restored_at_their_place() -> None:
    masks = SecretMasker().masks_for([], [f'key = "{TOKEN}"'])
    whole = masks.mask(SECRET)
    assert SECRET not in whole
    for start, end in ((0, 12), (5, 20), (20, len(SECRET))):
        assert masks.mask(f"<{SECRET[start:end]}>") == f"<{whole[start:end]}>"
        assert masks.restore(f"<{whole[start:end]}>") == f"<{SECRET[start:end]}>"


def test_a_secret_keeps_its_placeholder_beside_new_ones_and_as_it_grows() -> None:
    masker = SecretMasker()
    first = masker.masks_for([], [TOKEN]).mask(TOKEN)
    assert masker.masks_for([], ["glpat-0a1b2c3d4e5f6g7h8i9j"]).mask(TOKEN) == first
    typed = SecretMasker()
    shown = [typed.masks_for([], [TOKEN[:end]]).mask(TOKEN[:end]) for end in range(14, len(TOKEN) + 1)]
    assert all(later.startswith(earlier) for earlier, later in pairwise(shown))
    assert len(typed.masks_for([]).placeholders) == 1


def test_the_oldest_secrets_are_forgotten() -> None:
    masker = SecretMasker()
    for number in range(MAX_KNOWN + 20):
        masks = masker.masks_for([], [f"ghp_a{number:08}Zz"])
    assert len(masks.placeholders) == MAX_KNOWN


def test_only_what_changed_is_read_again_but_a_key_of_many_lines_as_a_whole() -> None:
    masker = SecretMasker()
    begin = "-----BEGIN RSA PRIVATE KEY-----\n"
    body = "MIIEowIBAAKCAQEAq1w2e3r4t5y6u7i8o9p0\n"
    before = Snapshot.from_text("x = 1\n" + begin, uri="file:///a.py")
    masker.masks_for([before])
    after = Snapshot.from_text("x = 1\n" + begin + body, uri="file:///a.py")
    masks = masker.masks_for([after])
    assert body.strip() not in masks.mask_snapshot(after).text
    assert masks.mask_snapshot(before) is before


def test_a_state_holds_no_secret_in_any_place() -> None:
    line = f'client = Client("{TOKEN}")\n'
    document = Snapshot.from_text(f"import a\n{line}", uri="file:///a.py")
    other = Snapshot.from_text(f"print('{SECRET}')\n", uri="file:///b.py")
    past = PastEdit("file:///a.py", 1, (), (line,), 1.0)
    edit = diff(document.text, document.text + f"again({SECRET})\n")
    state = EditorState(
        document,
        3,
        (past,),
        (other,),
        {"file:///a.py": (edit,)},
        (replace(past, new=(), old=(line,)),),
        diagnostics=(Diagnostic(0, 3, f"bad {SECRET[:10]}"),),
        proposed=(edit,),
        related_code=(RelatedCode("file:///c.py", 0, line, "similar", 1.0),),
    )
    masked, masks = mask_state(state, SecretMasker())
    assert masks and SECRET not in repr(masked) and SECRET[:10] not in repr(masked)
    assert masked.document.starts == document.starts
    assert mask_state(replace(state, document=other, other_documents=()), SecretMasker())[0].cursor == 3


def test_a_state_without_secrets_stays_the_same_object() -> None:
    state = EditorState(Snapshot.from_text("token = read_token()\n"), 0)
    assert mask_state(state, SecretMasker())[0] is state


def test_a_question_holds_no_secret() -> None:
    document = Snapshot.from_text(f'a = "{TOKEN}"\n')
    text = f"use {TOKEN}"
    question = ApplyInput(document, text, text, text, (), text, text)
    masked, _ = mask_question(question, SecretMasker())
    assert SECRET not in repr(masked)


@given(
    st.lists(
        st.sampled_from(["one\n", "two\n", "three\n", f'a = "{TOKEN}"\n', f"b: {TOKEN[:-4]}wxyz\n"]),
        min_size=1,
    ),
    st.data(),
)
def test_an_edit_of_the_masked_document_means_the_same_edit(lines: list[str], data: st.DataObject) -> None:
    original = Snapshot.from_text("".join(lines))
    masks = SecretMasker().masks_for([original])
    masked = masks.mask_snapshot(original)
    answer = "".join(data.draw(st.permutations(masked.lines))) + data.draw(st.sampled_from(["", "four\n"]))
    edit = restore_edit(diff(masked.text, answer), original, masked, masks)
    assert edit.apply(original.text) == masks.restore(answer)


def test_an_edit_without_masks_is_the_same_object() -> None:
    snapshot = Snapshot.from_text("one\n")
    edit = Edit.replace(0, 3, "two")
    assert restore_edit(edit, snapshot, snapshot, Masks()) is edit


def test_a_text_for_good_is_masked() -> None:
    assert mask_text("nothing") == "nothing"
    assert SECRET not in mask_text(f"failed: {TOKEN}")


@pytest.mark.slow
def test_no_secret_of_a_text_with_very_many_is_shown() -> None:
    """A file of a thousand keys, as for tests, and then another one; and the first again, unchanged."""
    random_ = random.Random(3)
    secrets = [draw(ALNUM, 36, random_) for _ in range(2 * MAX_KNOWN + 200)]
    one, two = (
        Snapshot.from_text("".join(f'key = "ghp_{each}"\n' for each in half), uri=f"file:///{at}.py")
        for at, half in enumerate((secrets[: MAX_KNOWN + 100], secrets[MAX_KNOWN + 100 :]))
    )
    masker = SecretMasker()
    for snapshot in (one, two, one):
        masked = masker.masks_for([snapshot]).mask_snapshot(snapshot).text
        assert not [each for each in secrets if each in masked]


def test_of_a_document_with_very_many_secrets_only_what_changed_is_masked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random_ = random.Random(4)
    lines = [f'key = "ghp_{draw(ALNUM, 36, random_)}"\n' for _ in range(1000)]
    masker = SecretMasker()
    first = masker.masks_for([Snapshot.from_text("".join(lines))])
    masked = first.mask_snapshot(Snapshot.from_text("".join(lines)))
    looked_at: list[str] = []
    real = substitution.Substitution.held

    def held(self: substitution.Substitution, text: str) -> set[str]:
        looked_at.append(text)
        return real(self, text)

    monkeypatch.setattr(substitution.Substitution, "held", held)
    changed = Snapshot.from_text("".join(("# typed\n", *lines)))
    assert masker.masks_for([changed]).mask_snapshot(changed).lines == ("# typed\n", *masked.lines)
    assert looked_at == ["# typed\n"]


def test_secrets_with_a_common_beginning_are_compared_with_few_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the time grows with the square of their number."""
    random_ = random.Random(5)
    secrets = ["Zk3mQ9vT2xLw8RbN4cHs7YpD1fGj6" + draw(ALNUM, 8, random_) for _ in range(300)]
    compared = 0
    real = substitution._piece_at

    def piece_at(*place: Any) -> str:
        nonlocal compared
        compared += 1
        return real(*place)

    monkeypatch.setattr(substitution, "_piece_at", piece_at)
    snapshot = Snapshot.from_text("".join(f'key = "ghp_{each}"\n' for each in secrets))
    masked = SecretMasker().masks_for([snapshot]).mask_snapshot(snapshot).text
    assert not [each for each in secrets if each in masked or each[-8:] in masked]
    assert compared <= substitution.MAX_PLACES * len(secrets)


@given(
    st.lists(
        st.tuples(
            st.booleans(), st.text("ab1", min_size=1, max_size=9), st.text("xy", min_size=9, max_size=9)
        )
    ),
    st.text("ab1 ", max_size=40),
)
def test_deleted_pairs_leave_nothing(steps: list[tuple[bool, str, str]], text: str) -> None:
    """After any pairs have come and gone, a substitution does what one with those that are left does.

    No piece is in more than `MAX_PLACES` texts of nine characters, of which some would be left out.
    """
    worn, pairs = substitution.Substitution(), dict[str, str]()
    for comes, old, new in steps:
        if comes and old not in pairs:
            pairs[old] = new[: len(old)]
            worn.add(old, pairs[old])
        elif old in pairs:
            del pairs[old]
            worn.remove(old)
    fresh = substitution.Substitution()
    for old, new in pairs.items():
        fresh.add(old, new)
    assert worn.held(text) == fresh.held(text) == {old for old in pairs if old in text}
    assert len(worn.apply(text)) == len(text)
    assert worn.apply_to_lines([text]) == fresh.apply_to_lines([text])


def test_short_secrets_with_the_same_placeholder() -> None:
    masker = SecretMasker()
    for number in range(1000):
        secret = f"{chr(97 + number % 26)}{number // 26:02}"
        text = f"postgres://user:{secret}@host/x"
        masks = masker.masks_for([], [text])
        assert secret not in masks.mask(text)
