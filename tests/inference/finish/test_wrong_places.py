"""Places that are no part of a change: each kind was told in commits of other people."""

from __future__ import annotations

import pytest

from editahead_inference.finish.finisher import Finisher
from editahead_inference.finish.report import ChangedFile, FinishReport
from finish_samples import ALL_LIKELY, changed, codebase


def find(change: list[ChangedFile], files: dict[str, str]) -> FinishReport:
    """Return what is found by weights that tell each candidate."""
    return Finisher(codebase(files), ALL_LIKELY).find(change)


def reported(report: FinishReport) -> list[tuple[str, int]]:
    return sorted((place.uri.rpartition("/")[2], place.line + 1) for place in (*report.likely, *report.uses))


LOCAL = "def load(path):\n    data = open(path)\n    print(data)\n    return data\n"


def test_the_new_name_of_a_local_stays_in_its_file() -> None:
    after = LOCAL.replace("data", "stream")
    other = "def save(path):\n    data = open(path)\n    print(data)\n    return data\n"
    files = {"b.py": other, "docs/use.md": "The `data` is read.\n", "conf.yml": "data: 1\n"}
    assert reported(find([changed("a.py", LOCAL, after)], files)) == []


def test_the_new_name_of_a_parameter_stays_with_its_function() -> None:
    before = "def load(config):\n    return config.path\n"
    after = before.replace("config", "options")
    other = "def save(config):\n    return config.path\n\n\nsave(config=1)\n"
    assert reported(find([changed("a.py", before, after)], {"b.py": other})) == []


def test_words_of_a_local_are_not_replaced_in_names_of_other_files() -> None:
    before = "def load(user):\n    user_id = user.id\n    return user_id\n"
    after = "def load(account):\n    account_id = account.id\n    return account_id\n"
    other = "def show(user_id, user_name):\n    return user_id, user_name\n"
    assert reported(find([changed("a.py", before, after)], {"b.py": other})) == []


def test_a_global_is_not_replaced_inside_of_another_name() -> None:
    before = "def load():\n    return 1\n\n\nload()\n"
    after = before.replace("load", "read")
    other = "def load_all():\n    return preload(load_all)\n"
    assert reported(find([changed("a.py", before, after)], {"b.py": other})) == []


@pytest.mark.parametrize(
    "new", ["send({0}, 1, retries=3)", "send({0}, 1, True)", "self.send({0}, 1)", "send({0}, 1, {0}.retries)"]
)
def test_the_new_form_of_a_call_stays_in_its_file(new: str) -> None:
    before = "def run(job):\n    send(job, 1)\n    return job\n\n\ndef go(one):\n    send(one, 1)\n    return one\n"
    after = before
    for name in ("job", "one"):
        after = after.replace(f"send({name}, 1)", new.format(name))
    other = "def stop(task):\n    send(task, 1)\n    return task\n"
    assert reported(find([changed("a.py", before, after)], {"b.py": other})) == []


def test_what_several_files_show_goes_on_in_others() -> None:
    def text(name: str, call: str) -> str:
        return f"def {name}(ast):\n    return finish(ast, {call})\n"

    change = [
        changed(f"{name}.py", text(name, f"parser='{name}', text=1"), text(name, f"text=1, kind='{name}'"))
        for name in ("one", "two")
    ]
    report = find(change, {"three.py": text("three", "parser='three', text=1")})
    assert reported(report) == [("three.py", 2)]
