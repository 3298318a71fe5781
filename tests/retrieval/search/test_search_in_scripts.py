"""Search in comments and names of any script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.scripts import fold, is_unspaced, unspaced_runs
from editahead_retrieval.index import location
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.search.answers import SearchResult
from editahead_retrieval.search.code_search import CodeSearch
from git_repository import write
from history_typist import PROPERTY
from index_workspace import build_index

ABOVE = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(6))
LINES = {
    "pay.py": "# 支付自动重试流程的入口函数",
    "sum.py": "def größe_der_länge(breite):",
    "thai.py": "# ระบบชำระเงินอัตโนมัติจะลองใหม่สามครั้ง",
    "hindi.py": "कुल_संख्या = 3",
    "korean.py": "# 회원가입을처리하는함수",
    "japanese.py": "# ユーザーのデータベースを更新する処理",
    "mixed.py": "get用户名称 = 1",
    "russian.py": "КоличествоЗаказов = 2",
    "arabic.py": "عدد_الطلبات = 4",
    "lao.py": "# ລະບົບການຈ່າຍເງິນ",
    "khmer.py": "# ប្រព័ន្ធទូទាត់ប្រាក់",
    "burmese.py": "# ငွေပေးချေမှုစနစ်",
    "turkish.py": "# İSTANBUL şubesi",
    "wide.py": "# ＡＢＣ計算",
    "vietnamese.py": "số_lượng = 5",
    "hebrew.py": "# מספר ההזמנות",
    "han2.py": "# 𠮷野家の注文",
}


@pytest.fixture(scope="module", params=["NFC", "NFD"])
def search(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeSearch]:
    """Yield the search in files that have an interesting line below others."""
    root = tmp_path_factory.mktemp("work")
    texts = {path: ABOVE + unicodedata.normalize(request.param, line) + "\n" for path, line in LINES.items()}
    write(root, texts)
    folder = tmp_path_factory.mktemp("index")
    build_index(root, str(folder))
    reader = IndexReader(folder / location.DATABASE)
    yield CodeSearch(reader, lambda path: (root / path).read_text("utf-8"))
    reader.close()


def found(search: CodeSearch, question: str, path: str) -> SearchResult:
    results = [result for result in search.search(question, 40) if result.path == path]
    assert results, question
    return results[0]


@pytest.mark.parametrize(
    ("question", "path", "reason"),
    [
        ("支付自动重试", "pay.py", 'has "支付自动重试"'),
        ("支付 入口", "pay.py", "mentions 支付, 入口"),
        ("支付在哪里重试流程", "pay.py", "mentions 支付, 重试流程"),
        ("支付", "pay.py", "mentions 支付"),
        ("试", "pay.py", "mentions 试"),
        ("數 试", "pay.py", "mentions 试"),
        ("ลองใหม่", "thai.py", 'has "ลองใหม่"'),
        ("ชำระเงิน", "thai.py", 'has "ชำระเงิน"'),
        ("データベース", "japanese.py", 'has "データベース"'),
        ("更新", "japanese.py", "mentions 更新"),
        ("ﾃﾞｰﾀ", "japanese.py", 'has "ﾃﾞｰﾀ"'),
        ("가입", "korean.py", "mentions 가입"),
        ("처리하는", "korean.py", 'has "처리하는"'),
        ("ຈ່າຍເງິນ", "lao.py", 'has "ຈ່າຍເງິນ"'),
        ("ទូទាត់", "khmer.py", 'has "ទូទាត់"'),
        ("ပေးချေမှု", "burmese.py", 'has "ပေးချေမှု"'),
        ("用户", "mixed.py", "mentions 用户"),
        ("größe", "sum.py", "mentions größe"),
        ("GRÖSSE", "sum.py", "mentions größe"),
        ("länge", "sum.py", "mentions länge"),
        ("संख्या", "hindi.py", "mentions संख्या"),
        ("заказов", "russian.py", "mentions заказов"),
        ("الطلبات", "arabic.py", "mentions الطلبات"),
        ("istanbul", "turkish.py", "mentions"),
        ("abc", "wide.py", "mentions"),
        ("ＳＨＩＦＴ abc計算", "wide.py", "mentions"),
        ("lượng", "vietnamese.py", "mentions lượng"),
        ("ההזמנות", "hebrew.py", "mentions ההזמנות"),
        ("𠮷野", "han2.py", "mentions 𠮷野"),
    ],
)
def test_a_part_is_found_with_its_line_and_its_reason(
    search: CodeSearch, question: str, path: str, reason: str
) -> None:
    result = found(search, question, path)
    assert ABOVE.count("\n") in result.matches
    assert fold(reason) in fold("; ".join(result.why))


def test_two_parts_in_one_run_name_the_parts_only(search: CodeSearch) -> None:
    assert "付自" not in "; ".join(found(search, "支付 重试", "pay.py").why)


def test_a_part_of_a_word_in_latin_has_a_line_and_a_reason(search: CodeSearch) -> None:
    result = found(search, "reit", "sum.py")
    assert ABOVE.count("\n") in result.matches
    assert 'has "reit"' in result.why


def test_what_is_nowhere_is_not_found(search: CodeSearch) -> None:
    assert search.search("谢谢", 10) == []
    assert search.search("谢", 10) == []
    assert search.search("สวัสดี", 10) == []


@PROPERTY
@given(st.sampled_from(sorted(LINES)), st.sampled_from(["NFC", "NFD"]), st.data())
def test_what_occurs_is_found_in_its_line(
    search: CodeSearch, path: str, form: str, data: st.DataObject
) -> None:
    """A word, or any part of a run of a script without spaces, in any spelling."""
    line = LINES[path]
    word = data.draw(st.sampled_from(WORD.findall(line.removeprefix("def "))))
    part = data.draw(st.sampled_from([run for run, _ in unspaced_runs(word) if run.strip("_")]))
    if is_unspaced(part):
        start = data.draw(st.integers(0, len(part) - 1))
        part = part[start : data.draw(st.integers(start + 1, len(part)))]
    if unicodedata.category(part[0])[0] == "M":
        return  # nobody asks for a mark without its letter
    result = found(search, unicodedata.normalize(form, part), path)
    assert ABOVE.count("\n") in result.matches
