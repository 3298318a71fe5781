"""Names of files that a person should read first, because programs run or obey them without a question."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from editahead_prompts.text.file_names import fold_name

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


def runs_by_itself(path: PurePosixPath) -> bool:
    """Return whether programs run or obey a file without a question. The path is relative to the workspace folder."""
    parts = [fold_name(part) for part in path.parts]
    if any(part in _FOLDERS or _SHORT_NAME.fullmatch(part) for part in parts):
        return True
    return bool(parts) and (parts[-1] in _NAMES or parts[-1].endswith(_SUFFIXES))
