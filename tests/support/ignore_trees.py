"""Random trees of files with every way to tell git what to ignore, and what git says about them.

A tree has repositories of all kinds inside of each other, folders named `.git` that are no repositories, ignore files in odd
spellings, and configurations in all places that git reads them from.
"""

from __future__ import annotations

import getpass
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

BOM = "\ufeff"
VALID = ("folder", "file", "worktree", "link")
"""The kinds of `.git` that git takes for a repository."""
INVALID = ("empty", "no head", "garbage", "dangling")
_FOLDERS = ("", "a", "a/b", "a/b/c", "Sub", "Sub/a", "x y", "sub2/[d]")
_ROOTS = _FOLDERS[:6]
_BAR = "|"
_NAMES = "a|b.py|B.py|c.Ltx|ltx|x |#d|!e|[d]|a*b|é|é.txt|e\u0301.txt|café.Py".split(_BAR)
_PIECES = (
    "a|b|b.py|B.PY|*.ltx|*.py|*|**|/|/|?|??|c|sub|Sub|x y|!|**/|[a-c]|[!a]|[A-B]|[B]|[^L]*|[[:upper:]]|[[:alpha:]]*"
    "|[[:a b:]]|[é]|[d]|*.[lL]tx|é|É|\\|\\ | |x\\ |#|\\#d|\\!e|ltx|LTX|/**/|\t|\0|.txt"
).split(_BAR)
_PATTERN = st.one_of(
    st.lists(st.sampled_from(_PIECES), min_size=1, max_size=4).map("".join),
    st.lists(st.sampled_from(("b", "sub", "Sub", "x y", "*", "**", *_NAMES)), min_size=1, max_size=3).map(
        "/".join
    ),
)
_LINE = st.tuples(
    st.sampled_from(("", "", "", "!", "/")), _PATTERN, st.sampled_from(("", "", "/", " ", "\\ ", "  "))
).map("".join)
_IGNORE = st.builds(
    lambda bom, lines, end: bom + "".join(line + end for line in lines),
    st.sampled_from(("", "", BOM)),
    st.lists(_LINE, min_size=1, max_size=4),
    st.sampled_from(("\n", "\n", "\n", "\r\n")),
)
_VALUES = (
    *("{home}/ig", "~/ig", "~{user}/{home_from_user}/ig", "%(prefix)/{home_from_prefix}/ig"),
    *("ig", "./a/ig", "a/../ig", '"~/i g"'),
)
_ASSIGNMENTS = (
    "[core]\n\texcludesFile = {value}\n",
    "[core] excludesfile={value} ; note\n",
    "[CORE]\r\nEXCLUDESFILE = {value}\r\n",
    "# note \\\n[core]\nexcludesFile = {value}\n",
    "[a][core]excludesFile = \\\n{value}\n",
    '[a "]"] b = "#"\n[core]\nexcludesFile={value}#x\n',
)
_CASES = (
    "[core]\nignoreCase = true\n",
    "[core] ignorecase\n",
    "[core]\nignoreCase = 1 # x\n",
    "[core]\nignoreCase = false\n",
)
_INCLUDES = (
    "[include]\n\tpath = {path}\n",
    '[includeIf "gitdir:{top}/"]\n\tpath = {path}\n',
    '[include] path = "{path}"\n',
)
_PLACES = ("home", "xdg", "global", "system", "count", "parameters", "local", "worktree", "none")


@dataclass(frozen=True)
class TreePlan:
    """What a tree consists of.

    Attributes:
        files: The files, by folder and name.
        repositories: The kinds of `.git` by folder.
        ignore: The texts of ignore files by folder.
        is_linked: Whether the ignore files are links.
        exclude: The texts of `info/exclude` by folder.
        personal: The text of the file that `core.excludesFile` names.
        default: The text of the file that it names by default; "" for none.
        value: How it is named.
        assignment: How the value is assigned.
        place: Where.
        include: How that configuration is included by another one; "" if it is not.
        bom: What the configuration begins with.
        case: The configuration with `core.ignoreCase`.
        case_place: Where it is.
        has_config_home: Whether `XDG_CONFIG_HOME` is set.
    """

    files: list[tuple[str, str]]
    repositories: dict[str, str]
    ignore: dict[str, str]
    is_linked: bool
    exclude: dict[str, str]
    personal: str
    default: str
    value: str
    assignment: str
    place: str
    include: str
    bom: str
    case: str
    case_place: str
    has_config_home: bool


PLANS = st.builds(
    TreePlan,
    files=st.lists(
        st.tuples(st.sampled_from(_FOLDERS), st.sampled_from(_NAMES)), min_size=3, max_size=12, unique=True
    ),
    repositories=st.builds(
        lambda outer, others: outer | others,
        st.sampled_from(({}, {"": "folder"})),
        st.dictionaries(st.sampled_from(_ROOTS), st.sampled_from((*VALID, *VALID, *INVALID)), max_size=2),
    ),
    ignore=st.dictionaries(st.sampled_from(_FOLDERS), _IGNORE, max_size=3),
    is_linked=st.sampled_from((False, False, False, True)),
    exclude=st.dictionaries(st.sampled_from(_ROOTS), _IGNORE, max_size=2),
    personal=_IGNORE,
    default=st.sampled_from(("", "*.ltx\n", f"{BOM}B.py\n")),
    value=st.sampled_from(_VALUES),
    assignment=st.sampled_from(_ASSIGNMENTS),
    place=st.sampled_from(_PLACES),
    include=st.sampled_from(("", "", *_INCLUDES)),
    bom=st.sampled_from(("", BOM)),
    case=st.sampled_from(("", "", *_CASES)),
    case_place=st.sampled_from(_PLACES),
    has_config_home=st.booleans(),
)


@dataclass
class IgnoreTree:
    """A tree on the disk.

    Attributes:
        folder: An empty folder, for the tree and what is around it.
        environment: The environment variables under which git and we read it.
        files: The paths of the files from `top`.
        repositories: The folders of git of each repository: its own, and the one that its working trees share.
    """

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    repositories: dict[Path, tuple[Path, Path]] = field(default_factory=dict)

    @property
    def top(self) -> Path:
        """The folder of all files."""
        return self.folder / "top"

    @property
    def home(self) -> Path:
        """The user's home folder."""
        return self.folder / "home"

    @property
    def config_home(self) -> Path:
        """The folder of the user's configuration."""
        return Path(self.environment.get("XDG_CONFIG_HOME", self.home / ".config"))


def make_tree(folder: Path, plan: TreePlan) -> IgnoreTree:
    """Write a tree below an empty folder, in whose path nothing is a link."""
    tree = IgnoreTree(folder)
    tree.top.mkdir()
    tree.home.mkdir()
    tree.environment |= {
        "HOME": str(tree.home),
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "0",
        "GIT_CONFIG_SYSTEM": str(folder / "system"),
    }
    if plan.has_config_home:
        tree.environment["XDG_CONFIG_HOME"] = str(tree.home / "xdg")
    _write_files(tree, plan)
    for path, kind in plan.repositories.items():
        if (tree.top / path).is_dir():
            _make_repository(tree, tree.top / path, kind)
    for path, text in plan.exclude.items():
        if tree.top / path in tree.repositories:
            _write(tree.repositories[tree.top / path][1] / "info" / "exclude", text)
    _write_personal_patterns(tree, plan)
    _write_configurations(tree, plan)
    return tree


def ignored_by_git(tree: IgnoreTree, workspace: Path) -> set[str]:
    """Return the files, as paths from `top`, that git ignores in a repository at, in or around a workspace."""
    roots = [root for root in tree.repositories if root.is_relative_to(workspace)]
    around = [root for root in tree.repositories if workspace.is_relative_to(root)]
    if around:
        roots.append(max(around, key=lambda root: len(root.parts)))
    return {name for root in set(roots) for name in _check_ignore(tree, root)}


def _check_ignore(tree: IgnoreTree, root: Path) -> Iterator[str]:
    """Yield the files, as paths from `top`, that git ignores in one repository."""
    paths = [
        path.relative_to(root) for path in map(tree.top.joinpath, tree.files) if path.is_relative_to(root)
    ]
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin", "-z"],
        cwd=root,
        env=tree.environment,
        input="".join(f"{path.as_posix()}\0" for path in paths).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    for name in filter(None, done.stdout.decode().split("\0")):
        yield (root / name).relative_to(tree.top).as_posix()


@cache
def find_prefix() -> str:
    """Return the folder that git calls its prefix."""
    command = ["git", "-c", "x.y=%(prefix)/", "config", "--type=path", "--get", "x.y"]
    return subprocess.run(command, cwd="/", capture_output=True, text=True, check=True).stdout.strip()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="")


def _write_files(tree: IgnoreTree, plan: TreePlan) -> None:
    for folder, name in plan.files:
        path = tree.top / folder / name
        if not path.exists() and not any(parent.is_file() for parent in path.parents):
            _write(path, "x")
            tree.files.append(path.relative_to(tree.top).as_posix())
    for folder, text in plan.ignore.items():
        place = tree.top / folder
        if place.is_dir():
            _write(place / ("rules" if plan.is_linked else ".gitignore"), text)
            if plan.is_linked:
                (place / ".gitignore").symlink_to("rules")


def _make_repository(tree: IgnoreTree, root: Path, kind: str) -> None:
    place, elsewhere = root / ".git", tree.folder / f"git{len(tree.repositories)}"
    if kind in ("empty", "no head"):
        for name in ("",) if kind == "empty" else ("objects", "refs"):
            (place / name).mkdir(parents=True)
    elif kind in ("garbage", "dangling"):
        place.write_text("nothing\n" if kind == "garbage" else f"gitdir: {tree.folder}/nowhere\n")
    else:
        shared = place if kind == "folder" else elsewhere
        own = shared / "worktrees" / "w" if kind == "worktree" else shared
        for name in ("objects", "refs"):
            (shared / name).mkdir(parents=True)
        _write(shared / "config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
        for each in {own, shared}:
            _write(each / "HEAD", "ref: refs/heads/main\n")
        if kind == "worktree":
            _write(own / "commondir", "../..\n")
            _write(own / "gitdir", f"{place}\n")
        if kind == "link":
            place.symlink_to(own, target_is_directory=True)
        elif kind != "folder":
            place.write_text(f"gitdir: {own}\n")
        tree.repositories[root] = own, shared


def _write_personal_patterns(tree: IgnoreTree, plan: TreePlan) -> None:
    """Write the file of `core.excludesFile` to all places that a value may name."""
    places = [tree.home / "ig", tree.home / "i g"]
    places += [root / name for root in (tree.top, *tree.repositories) for name in ("ig", "a/ig")]
    for place in places:
        if place.parent.is_dir() and not place.is_dir():
            place.write_text(plan.personal, "utf-8", newline="")
    if plan.default:
        _write(tree.config_home / "git" / "ignore", plan.default)


def _write_configurations(tree: IgnoreTree, plan: TreePlan) -> None:
    user = getpass.getuser()
    value = plan.value.format(
        home=tree.home,
        user=user,
        home_from_user=os.path.relpath(tree.home, Path(f"~{user}").expanduser()),
        home_from_prefix=os.path.relpath(tree.home, find_prefix()),
    )
    text = plan.assignment.format(value=value)
    if plan.include:
        _write(tree.home / "more", text)
        text = plan.include.format(path=tree.home / "more", top=tree.top)
    _configure(tree, plan.place, plan.bom + text, ("core.excludesFile", value.strip('"')))
    flag = "false" if "false" in plan.case else "true"
    if plan.case:
        _configure(tree, plan.case_place, plan.case, ("core.ignoreCase", flag))


def _configure(tree: IgnoreTree, place: str, text: str, variable: tuple[str, str]) -> None:
    """Put a configuration, or one variable of it, into one of the places that git reads."""
    environment = tree.environment
    files = {
        "home": [tree.home / ".gitconfig"],
        "xdg": [tree.config_home / "git" / "config"],
        "system": [tree.folder / "system"],
        "global": [tree.folder / "global"],
        "local": [shared / "config" for _, shared in tree.repositories.values()],
        "worktree": [own / "config.worktree" for own, _ in tree.repositories.values()],
    }
    if place == "global":
        environment["GIT_CONFIG_GLOBAL"] = str(tree.folder / "global")
    elif place == "worktree":
        for file in files["local"]:
            _append(file, "[extensions]\nworktreeConfig = true\n")
    elif place == "count":
        number = int(environment.get("GIT_CONFIG_COUNT", "0"))
        environment[f"GIT_CONFIG_KEY_{number}"], environment[f"GIT_CONFIG_VALUE_{number}"] = variable
        environment["GIT_CONFIG_COUNT"] = str(number + 1)
    elif place == "parameters":
        before = environment.get("GIT_CONFIG_PARAMETERS", "")
        environment["GIT_CONFIG_PARAMETERS"] = f"{before} '{variable[0]}'='{variable[1]}'".strip()
    for file in files.get(place, []):
        _append(file, text)


def _append(path: Path, text: str) -> None:
    """Append to a file. A byte order mark is for its beginning only."""
    before = path.read_text("utf-8") if path.exists() else ""
    _write(path, before + (text.removeprefix(BOM) if before else text))
