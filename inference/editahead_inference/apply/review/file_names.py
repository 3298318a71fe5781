"""Names of files that a sketch must not touch (git's own), or that a person should read first (they run by themselves).

File systems take several spellings for one name: in another case, with trailing dots, with characters that they ignore, or
shortened. `fold_name` undoes that, so that no spelling leads past a rule.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

from .review_flags import Flag

RUNS_BY_ITSELF = Flag("runs", "Other programs run or obey this file without a question: read it first.")

_SHORT_NAME = re.compile(r"[^.~]{1,6}~\d+(?:\.[^.]{0,3})?")
"""Pattern of the short names that Windows gives to files, such as `GIT~1` for `.git`."""

_FOLDERS = frozenset(
    # editors and agents
    {
        ".vscode",
        ".vs",
        ".idea",
        ".fleet",
        ".zed",
        ".helix",
        ".cursor",
        ".claude",
        ".codex",
        ".gemini",
        ".kiro",
    }
    # pipelines and hooks
    | {".github", ".gitlab", ".gitea", ".forgejo", ".circleci", ".buildkite", ".tekton", ".woodpecker"}
    | {".husky", ".githooks"}
    # environments and build tools
    | {".devcontainer", ".direnv", ".cargo", ".mvn", ".bundle", ".mise", ".yarn"}
)
"""Folders with files that programs run or obey when the project is opened, built, pushed or entered, as folded names."""

_NAMES = frozenset(
    {".envrc", ".gitattributes", ".gitmodules", ".gitconfig", "editahead.toml"}
    | {".gitlab-ci.yml", ".travis.yml", ".drone.yml", ".woodpecker.yml", "azure-pipelines.yml", "jenkinsfile"}
    | {".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", ".lefthook.yml"}
    | {".exrc", ".nvimrc", ".nvim.lua", ".vimrc", ".lvimrc", ".local.vimrc", ".vimspector.json"}
    | {".dir-locals.el", ".dir-locals-2.el", ".ycm_extra_conf.py", ".mcp.json", ".devcontainer.json"}
    | {".tool-versions", ".mise.toml", "mise.toml", ".bazelrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs"}
    | {".gdbinit", ".lldbinit", ".pythonrc", "sitecustomize.py", "usercustomize.py"}
    | {".profile", ".bash_profile", ".bashrc", ".zshenv", ".zprofile", ".zshrc", ".inputrc"}
    | {"desktop.ini", "autorun.inf"}
)
_SUFFIXES = (".code-workspace", ".pth", ".sublime-project")


def fold_name(name: str) -> str:
    """Return one spelling for all those that some file system takes for the same name of a file."""
    plain = unicodedata.normalize("NFKC", name)
    visible = "".join(char for char in plain if unicodedata.category(char) not in ("Cf", "Cc"))
    return visible.casefold().partition(":")[0].rstrip(" .")


def is_git_folder(name: str) -> bool:
    """Return whether some file system takes one component of a path for `.git`, which git itself rejects, too."""
    return any(
        folded == ".git" or re.fullmatch(r"git~\d+", folded) is not None
        for folded in map(fold_name, name.split("\\"))
    )


def runs_by_itself(path: PurePosixPath) -> bool:
    """Return whether programs run or obey a file without a question. The path is relative to the workspace folder."""
    parts = [fold_name(part) for part in path.parts]
    if any(part in _FOLDERS or _SHORT_NAME.fullmatch(part) for part in parts):
        return True
    return bool(parts) and (parts[-1] in _NAMES or parts[-1].endswith(_SUFFIXES))
