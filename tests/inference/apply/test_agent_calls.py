"""The calls of today's agents: each shape makes just the edit that it shows."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from itertools import starmap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from files_in_memory import apply_in_memory

_BEFORE = "const a = 1;\nconst b = 2;\nconst c = 3;\n"
_AFTER = "const a = 1;\nconst b = 20;\nconst c = 3;\n"
_OLD, _NEW = "const b = 2;", "const b = 20;"
_DIFF = "@@\n const a = 1;\n-const b = 2;\n+const b = 20;\n const c = 3;\n"
_PATCH = "*** Begin Patch\n*** Update File: f.ts\n@@\n-const b = 2;\n+const b = 20;\n*** End Patch"
_BLOCK = "<<<<<<< SEARCH\nconst b = 2;\n=======\nconst b = 20;\n>>>>>>> REPLACE\n"


def _play(text: str, **more: str) -> dict[str, str | None] | str:
    """Return the texts of the files that a sketch changes, None for one that it deletes; or why it is refused."""
    before = {"f.ts": _BEFORE} | {name.replace("_", "."): each for name, each in more.items()}
    after = apply_in_memory(before, text)
    if isinstance(after, str):
        return after
    return {path: after.get(path) for path in before.keys() | after if after.get(path) != before.get(path)}


def _update(diff: str = _DIFF, **more: str) -> dict[str, object]:
    return {"type": "update_file", "path": "f.ts", "diff": diff, **more}


def _bash(script: str) -> list[str]:
    return ["bash", "-lc", script]


_HEREDOC = f"apply_patch <<'EOF'\n{_PATCH}\nEOF\n"
_VALUES: dict[str, object] = {
    "openai": {"operation": _update()},
    "openai bare": _update(),
    "openai list": [{"operation": _update()}],
    "openai operations": {"operations": [_update()]},
    "openai item": {
        "type": "apply_patch_call",
        "call_id": "c",
        "status": "completed",
        "operation": _update(),
    },
    "openai response": {
        "object": "response",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": "Done."}]},
            {"type": "apply_patch_call", "operation": _update()},
        ],
    },
    "openai with headers": _update(f"--- a/f.ts\n+++ b/f.ts\n{_DIFF}"),
    "openai with envelope": _update(_PATCH),
    "codex": {"command": ["apply_patch", _PATCH]},
    "codex bash": {"command": _bash(_HEREDOC)},
    "codex bash quoted": {"command": ["/bin/bash", "-c", f"apply_patch '{_PATCH}'"]},
    "codex unquoted": {"cmd": f"applypatch <<PATCH\n{_PATCH}\nPATCH"},
    "codex folder": {"command": _bash(f"cd . && {_HEREDOC}"), "workdir": "."},
    "codex shell": {
        "type": "function_call",
        "name": "shell",
        "arguments": json.dumps({"command": _bash(_HEREDOC)}),
    },
    "codex local": {
        "type": "local_shell_call",
        "action": {"type": "exec", "command": ["apply_patch", _PATCH]},
    },
    "codex custom": {"type": "custom_tool_call", "name": "apply_patch", "input": _PATCH},
    "codex rollout": {
        "type": "response_item",
        "payload": {"name": "exec_command", "arguments": {"cmd": _HEREDOC}},
    },
    "opencode": {"filePath": "f.ts", "oldString": _OLD, "newString": _NEW, "replaceAll": False},
    "opencode patch": {"name": "apply_patch", "arguments": {"patchText": _PATCH}},
    "kiro": {"name": "strReplace", "args": {"path": "f.ts", "oldStr": _OLD, "newStr": _NEW}},
    "kiro write": {"name": "fsWrite", "args": {"path": "f.ts", "text": _AFTER}},
    "gemini": {
        "functionCall": {
            "name": "replace",
            "args": {"file_path": "f.ts", "old_string": _OLD, "new_string": _NEW},
        }
    },
    "gemini write": {"name": "write_file", "args": {"file_path": "f.ts", "content": _AFTER}},
    "gemini answer": {
        "candidates": [
            {
                "content": {
                    "parts": [
                        {
                            "functionCall": {
                                "name": "write_file",
                                "args": {"file_path": "f.ts", "content": _AFTER},
                            }
                        }
                    ]
                }
            }
        ]
    },
    "claude": {"name": "Edit", "input": {"file_path": "f.ts", "old_string": _OLD, "new_string": _NEW}},
    "claude multi": {
        "name": "MultiEdit",
        "input": {"file_path": "f.ts", "edits": [{"old_string": _OLD, "new_string": _NEW}]},
    },
    "claude write": {"type": "tool_use", "name": "Write", "input": {"file_path": "f.ts", "content": _AFTER}},
    "claude editor": {
        "name": "str_replace_based_edit_tool",
        "input": {"command": "str_replace", "path": "f.ts", "old_str": _OLD, "new_str": _NEW},
    },
    "chat": {
        "choices": [
            {
                "message": {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "type": "function",
                            "function": {
                                "name": "multi_edit",
                                "arguments": json.dumps(
                                    {"edits": [{"path": "f.ts", "old_text": _OLD, "new_text": _NEW}]}
                                ),
                            },
                        }
                    ],
                }
            }
        ]
    },
    "edits as text": {"path": "f.ts", "edits": json.dumps([{"oldText": _OLD, "newText": _NEW}])},
    "mcp": {
        "name": "mcp__files__edit_file",
        "input": {"path": "f.ts", "edits": [{"oldText": _OLD, "newText": _NEW}]},
    },
    "parallel": {"tool_uses": [{"recipient_name": "functions.apply_patch", "parameters": {"input": _PATCH}}]},
    "windsurf": {
        "name": "replace_file_content",
        "args": {
            "TargetFile": "f.ts",
            "ReplacementChunks": [
                {"TargetContent": _OLD, "ReplacementContent": _NEW, "AllowMultiple": False}
            ],
        },
    },
    "windsurf write": {"TargetFile": "f.ts", "CodeContent": _AFTER, "EmptyFile": False},
    "antigravity": {
        "TargetFile": "f.ts",
        "StartLine": 2,
        "EndLine": 2,
        "TargetContent": _OLD,
        "ReplacementContent": _NEW,
    },
    "cursor": {
        "name": "search_replace",
        "arguments": {"file_path": "f.ts", "old_string": _OLD, "new_string": _NEW},
    },
    "cursor write": {"name": "write", "arguments": {"file_path": "f.ts", "contents": _AFTER}},
    "roo": {"name": "apply_diff", "input": {"path": "f.ts", "diff": _BLOCK}},
    "roo search": {
        "name": "search_and_replace",
        "args": {"path": "f.ts", "operations": [{"search": _OLD, "replace": _NEW}]},
    },
    "zed": {
        "name": "edit_file",
        "input": {"path": "f.ts", "mode": "edit", "edits": [{"old_text": _OLD, "new_text": _NEW}]},
    },
    "droid": {
        "name": "Edit",
        "input": {"file_path": "f.ts", "old_str": _OLD, "new_str": _NEW, "change_all": False},
    },
    "array": ["apply_patch", _PATCH],
    "amazon": {
        "toolUse": {
            "name": "fs_write",
            "input": {"command": "str_replace", "path": "f.ts", "old_str": _OLD, "new_str": _NEW},
        }
    },
    "with a reading call": [
        {"name": "read_file", "input": {"path": "f.ts"}},
        {"name": "edit", "input": {"path": "f.ts", "old_str": _OLD, "new_str": _NEW}},
    ],
}
_JSON = starmap(lambda name, value: pytest.param(json.dumps(value), id=name), _VALUES.items())
_ONE = json.dumps(_VALUES["claude"])
_TEXTS = {
    "prose": f"Here is the call:\n\n{_ONE}\n\nThis makes the value larger.",
    "prose and operation": f"I change the file now.\n\n{json.dumps(_VALUES['openai'], indent=2)}\n",
    "fence": f"The change:\n\n```json\n{_ONE}\n```\n\nThat is all.",
    "fence of a tool": f"```tool_call\n{_ONE}\n```",
    "fence of another word": f"```javascript\n{_ONE}\n```",
    "fence below the file's path": f"**f.ts**\n```json\n{_ONE}\n```",
    "fence with words": f"Do this:\n\n```\nCall of the tool:\n{_ONE}\n```",
    "tags on the line": f"<tool_call>{_ONE}</tool_call>",
    "mistral": f"[TOOL_CALLS] [{_ONE}]",
    "tags around": f"<tool_call>\n{_ONE}\n</tool_call>",
    "line ends in strings": f'{{"path": "f.ts", "old_str": "const a = 1;\n{_OLD}", "new_str": "const a = 1;\n{_NEW}"}}',
    "roo": f"<apply_diff>\n<path>f.ts</path>\n<diff>\n{_BLOCK}</diff>\n</apply_diff>",
    "roo cdata": "<apply_diff>\n<args>\n<file>\n  <path>f.ts</path>\n  <diff>\n    <content><![CDATA[\n"
    f"{_BLOCK}]]></content>\n    <start_line>2</start_line>\n  </diff>\n</file>\n</args>\n</apply_diff>",
    "roo content": "<apply_diff><args><file><path>f.ts</path><diff><content>\n"
    f"{_BLOCK}</content></diff></file></args></apply_diff>",
    "cline": f"I write the file.\n\n<write_to_file>\n<path>f.ts</path>\n<content>\n{_AFTER}</content>\n</write_to_file>",
    "cline fence": f"<write_to_file>\n<path>f.ts</path>\n<content>\n```ts\n{_AFTER}```\n</content>\n</write_to_file>",
    "cline cdata": f"<write_to_file><path>f.ts</path><content><![CDATA[{_AFTER}]]></content></write_to_file>",
    "roo lines": f"<write_to_file>\n<path>f.ts</path>\n<content>\n{_AFTER}</content>\n"
    "<line_count>3</line_count>\n</write_to_file>",
    "roo search": f"<search_and_replace>\n<path>f.ts</path>\n<search>{_OLD}</search>\n"
    f"<replace>{_NEW}</replace>\n</search_and_replace>",
    "claude": '<function_calls>\n<invoke name="Edit">\n<parameter name="file_path">f.ts</parameter>\n'
    f'<parameter name="old_string">{_OLD}'
    f'</parameter>\n<parameter name="new_string">{_NEW}</parameter>\n</invoke>\n</function_calls>',
    "qwen": "<tool_call>\n<function=edit>\n<parameter=path>\nf.ts\n</parameter>\n"
    f"<parameter=old_string>\n{_OLD}\n</parameter>\n"
    f"<parameter=new_string>\n{_NEW}\n</parameter>\n</function>\n</tool_call>",
    "devin": f'<str_replace path="f.ts">\n<old_str>{_OLD}</old_str>\n<new_str>{_NEW}</new_str>\n</str_replace>',
    "zed": f"<edit>\n<path>f.ts</path>\n<old_text line=2>\n{_OLD}\n</old_text>\n<new_text>\n{_NEW}\n</new_text>\n</edit>",
}


@pytest.mark.parametrize("text", [*_JSON, *(pytest.param(text, id=name) for name, text in _TEXTS.items())])
def test_call_makes_its_edit(text: str) -> None:
    assert _play(text) == {"f.ts": _AFTER}


def test_operations_create_and_delete() -> None:
    calls = [
        {"operation": {"type": "create_file", "path": "docs/new file.md", "diff": "+# New\n+\n+Text.\n"}},
        {"operation": _update()},
        {"operation": {"type": "delete_file", "path": "old.ts"}},
    ]
    expected = {"docs/new file.md": "# New\n\nText.\n", "f.ts": _AFTER, "old.ts": None}
    for text in (json.dumps(calls), "\n".join(map(json.dumps, calls))):
        assert _play(text, old_ts="x\n") == expected


def test_calls_of_several_kinds_in_one_text() -> None:
    calls = [
        {"name": "Write", "input": {"file_path": "g.ts", "content": "const g = 1;\n"}},
        {"name": "Edit", "input": {"file_path": "f.ts", "old_string": _OLD, "new_string": _NEW}},
        {"name": "apply_patch", "input": _PATCH.replace("b =", "c =").replace("2", "3").replace("30", "30")},
    ]
    after = _AFTER.replace("c = 3", "c = 30")
    expected = {"g.ts": "const g = 1;\n", "f.ts": after}
    assert _play(json.dumps(calls)) == expected
    fences = "\n\nThen this one:\n\n".join(f"```json\n{json.dumps(call)}\n```" for call in calls)
    assert _play(f"First this one:\n\n{fences}") == expected


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            '{"name": "fsAppend", "args": {"path": "f.ts", "text": "const d = 4;\\n"}}',
            f"{_BEFORE}const d = 4;\n",
        ),
        ('{"command": "append", "path": "f.ts", "new_str": "const d = 4;\\n"}', f"{_BEFORE}const d = 4;\n"),
        ('{"command": "insert", "path": "f.ts", "insert_line": 0, "insert_text": "x;\\n"}', f"x;\n{_BEFORE}"),
        ('{"command": "insert", "path": "f.ts", "insert_line": 3, "new_str": "x;\\n"}', f"{_BEFORE}x;\n"),
        (
            "<insert_content><path>f.ts</path><line>1</line><content>\nx;\n</content></insert_content>",
            f"x;\n{_BEFORE}",
        ),
        (
            "<insert_content><path>f.ts</path><line>0</line><content>\nx;\n</content></insert_content>",
            f"{_BEFORE}x;\n",
        ),
        ('{"path": "f.ts", "line": 1, "content": "x;\\n"}', f"x;\n{_BEFORE}"),
    ],
)
def test_call_that_adds_lines(text: str, after: str) -> None:
    assert _play(text) == {"f.ts": after}


def test_folder_of_a_command_is_that_of_its_paths() -> None:
    for command in (
        {"cmd": f"cd sub && {_HEREDOC}"},
        {"command": ["apply_patch", _PATCH], "workdir": "sub/"},
    ):
        texts = {"f.ts": _BEFORE, "sub/f.ts": _BEFORE}
        assert apply_in_memory(texts, json.dumps(command)) == {**texts, "sub/f.ts": _AFTER}


_EDIT = {"path": "f.ts", "old_str": _OLD, "new_str": _NEW}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"command": ["rm", "-rf", "src"]}, "command of a shell"),
        ({"command": _bash(f"{_HEREDOC}\nrm -rf src")}, "command of a shell"),
        ({"command": ["apply_patch", _PATCH, "x"]}, "command of a shell"),
        ({"name": "rename_symbol", "args": {"path": "f.ts", "to": "x"}}, "not understood.*rename_symbol"),
        ([_EDIT, {"name": "bash", "input": {"command": "rm -rf src"}}], "not understood.*bash"),
        ([_EDIT, {"path": "f.ts", "old_str": "x"}], "not both"),
        ({"name": "Edit", "input": {"file_path": "f.ts", "old_string": "x"}}, "not both"),
        ({"operation": {"type": "update_file", "path": "f.ts"}}, "without a diff"),
        ({"operation": {"type": "create_file", "path": "g.ts", "diff": "plain\n"}}, "none of its diff"),
        ({"operation": _update(f"{_DIFF}*** Delete File: g.ts\n")}, "none of its diff"),
        ({"operation": {**_update(), "path": "a\n*** Delete File: f.ts"}}, "path that names no file"),
        ({**_EDIT, "use_regex": True}, "regular expression"),
        ({"path": "f.ts", "content": "x", "start_line": 1, "end_line": 2}, "by their numbers"),
        ({"path": "f.ts", "content": "x", "line": "two"}, "without a number"),
        ({"path": "f.ts", "text": "x"}, "name of its tool"),
        ({"command": "undo_edit", "path": "f.ts"}, "not understood.*undo_edit"),
        ({"operation": {"type": "rename_file", "path": "f.ts"}}, "not understood.*rename_file"),
        ([_EDIT] * 501, "more than 500"),
    ],
)
def test_call_that_cannot_be_done_is_refused_with_its_reason(value: object, said: str) -> None:
    with pytest.raises(SketchError, match=said):
        parse_sketch(json.dumps(value))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(_VALUES["openai"])[:-9],
        json.dumps(_EDIT)[:-1] + ",}",
        json.dumps(_VALUES["codex"]) + "}",
        '{"file_path": "f.ts", "edits": ' + '[{"edits": ' * 10_000,
        f"<write_to_file><path>f.ts</path><content>{_AFTER}",
        "<path>f.ts</path>" * 5_000,
        "<content>" * 20_000,
        '{"operation": ' * 30 + json.dumps(_update()) + "}" * 30,
        f"x = 1\n{json.dumps(_EDIT)}\ny = 2\n",
        "{" * 50_000,
        '{"path": ["f.ts"], "old_str": {"a": 1}, "new_str": [1], "type": [], "command": {}}',
    ],
)
def test_malformed_call_is_refused(text: str) -> None:
    assert isinstance(_play(text), str)


_LINE = st.text(alphabet="abc {}\"'\\<>`&$", min_size=1, max_size=10).filter(lambda line: line.strip() != "")


def _as_v4a(old: list[str], new: list[str]) -> str:
    lines = list(difflib.unified_diff(old, new, lineterm="", n=100))[3:]
    return "".join(f"{line}\n" for line in ["@@", *lines])


_SHAPES: dict[str, Callable[[list[str], list[str], int], object]] = {
    "operation": lambda old, new, at: {
        "operation": {"type": "update_file", "path": "f.txt", "diff": _as_v4a(old, new)}
    },
    "codex": lambda old, new, at: {
        "command": [
            "apply_patch",
            f"*** Begin Patch\n*** Update File: f.txt\n{_as_v4a(old, new)}*** End Patch",
        ]
    },
    "edit": lambda old, new, at: {
        "name": "Edit",
        "input": {"path": "f.txt", "old_string": old[at], "new_string": new[at]},
    },
    "kiro": lambda old, new, at: {
        "name": "strReplace",
        "args": {"path": "f.txt", "oldStr": old[at], "newStr": new[at]},
    },
    "windsurf": lambda old, new, at: {
        "TargetFile": "f.txt",
        "ReplacementChunks": [{"TargetContent": old[at], "ReplacementContent": new[at]}],
    },
    "chat": lambda old, new, at: {
        "function": {
            "name": "edit",
            "arguments": json.dumps({"path": "f.txt", "old_str": old[at], "new_str": new[at]}),
        }
    },
    "roo": lambda old, new, at: (
        f"<search_and_replace><path>f.txt</path><search>{old[at]}</search>"
        f"<replace>{new[at]}</replace></search_and_replace>"
    ),
    "invoke": lambda old, new, at: (
        '<invoke name="Edit"><parameter name="file_path">f.txt</parameter><parameter name="old_string">'
        f'{old[at]}</parameter><parameter name="new_string">{new[at]}</parameter></invoke>'
    ),
}


@pytest.mark.parametrize("shape", _SHAPES)
@given(lines=st.lists(_LINE, min_size=1, max_size=6, unique=True), line=_LINE, data=st.data())
def test_rendered_edit_gives_the_edited_text(
    shape: str, lines: list[str], line: str, data: st.DataObject
) -> None:
    old = [f"{number}: {text}" for number, text in enumerate(lines)]
    at = data.draw(st.integers(0, len(old) - 1))
    new = [*old[:at], f"{at}: {line}", *old[at + 1 :]]
    value = _SHAPES[shape](old, new, at)
    before, after = ("".join(f"{each}\n" for each in rows) for rows in (old, new))
    if before.count(old[at]) != 1 or before == after:
        return
    text = value if isinstance(value, str) else json.dumps(value)
    played = _play(text, f_txt=before)
    if isinstance(played, str):
        assert after.count("{") != after.count("}") or "<" in after
        return
    assert played == {"f.txt": after}


_WHOLE = "const n = 1;\nconst m = 2;\n"
_WHOLE_FILES = {
    "file": f'<file path="new.ts">\n{_WHOLE}</file>\n',
    "words around": f'Here it is:\n\n<file path="new.ts">\n{_WHOLE}</file>\n\nDone.\n',
    "dyad": f'<dyad-write path="new.ts" description="Numbers">\n{_WHOLE}</dyad-write>\n',
    "lovable": f'<lov-code>\n<lov-write file_path="new.ts">\n{_WHOLE}</lov-write>\n</lov-code>\n',
    "bolt": (
        '<boltArtifact id="n" title="Numbers">\n'
        f'<boltAction type="file" filePath="new.ts">\n{_WHOLE}</boltAction>\n</boltArtifact>\n'
    ),
    "create": f'<create path="new.ts">\n{_WHOLE}</create>\n',
}


@pytest.mark.parametrize("case", _WHOLE_FILES)
def test_a_tag_with_a_path_and_lines_in_it_is_a_whole_file(case: str) -> None:
    assert _play(_WHOLE_FILES[case]) == {"new.ts": _WHOLE}
    changed = _WHOLE_FILES[case].replace("new.ts", "f.ts").replace(_WHOLE, _AFTER)
    assert _play(changed) == {"f.ts": _AFTER}


def test_two_tags_are_two_files() -> None:
    text = f'<file path="new.ts">\n{_WHOLE}</file>\n<file path="f.ts">\n{_AFTER}</file>\n'
    assert _play(text) == {"new.ts": _WHOLE, "f.ts": _AFTER}


def test_a_tag_in_a_text_for_a_file_of_markup_is_its_text() -> None:
    text = '<files>\n<file path="new.ts">\nx\n</file>\n<!-- ... existing code ... -->\n</files>\n'
    (part,) = parse_sketch(text, language="xml", path="files.xml").files
    assert part.path in (None, "files.xml")


def test_a_tag_with_a_path_and_nothing_in_it_writes_no_empty_file() -> None:
    assert isinstance(_play('<dyad-write path="f.ts">\n</dyad-write>\n'), str)


_RECORDS = {
    "before and after": '{"path": "f.ts", "before": "const b = 2;", "after": "const b = 20;"}\n',
    "search and replace": '{"path": "f.ts", "search": "const b = 2;", "replace": "const b = 20;"}\n',
    "content": '[{"path": "f.ts", "content": "x"}]\n',
    "command": '{"command": "create", "path": "new.ts", "file_text": "x"}\n',
    "tags": "<write_to_file><path>f.ts</path><content>x</content></write_to_file>\n",
}


@pytest.mark.parametrize(
    "name", ["data.json", "rows.jsonl", "data.JSON", "page.html", "feed.xml", "a.yaml", "n.ipynb"]
)
@pytest.mark.parametrize("case", _RECORDS)
@pytest.mark.parametrize("language", [None, "plaintext", "json"])
def test_what_may_be_the_text_of_the_named_file_changes_no_other_file(
    case: str, name: str, language: str | None
) -> None:
    for text in (_RECORDS[case], f"```json\n{_RECORDS[case]}```\n"):
        try:
            files = parse_sketch(text, language=language, path=name).files
        except SketchError:
            continue
        assert {part.path for part in files} <= {None, name}
