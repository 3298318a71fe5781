"""Makes the pairs that the encoder is trained on (`editahead-lab train encoder-pairs`).

Each source becomes a file of its own, so that an interrupted run goes on with the next source. Then all of them are joined
and get their hard negatives.

Needs the extra `train`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any

from editahead_evals.data.git_records import recent_records
from editahead_lab.errors import TrainingError
from editahead_lab.training.data.shards import sample_commits, train_shards
from editahead_retrieval.search.search_log import read_opened

from .changed_chunks import commit_pairs
from .documented import find_documented
from .negatives import add_negatives
from .packages import package_pairs
from .pair import Pair, read_pairs, write_pairs

PAIRS = "pairs.jsonl.zst"
PLAN = "pairs.json"
REPOSITORY_COMMITS = 2_000
"""Commits of a person's own repository that are read."""


@dataclass(frozen=True)
class PairsPlan:
    """What pairs are made of.

    Attributes:
        edits: The folder of `train-*.jsonl.zst`; None for none.
        repositories: Folders of git repositories.
        packages: Folders of installed packages.
        searches: The file of what a person searched and then opened; None for none.
        commits: Commits of each shard.
        seed: The seed of their choice and of that of the negatives.
        leave_out: Names of repositories and packages that are left out, such as those that are measured on.
    """

    edits: Path | None
    repositories: tuple[Path, ...]
    packages: tuple[Path, ...]
    commits: int
    seed: int
    leave_out: tuple[str, ...] = ()
    searches: Path | None = None


def make_pairs(plan: PairsPlan, out: Path, log: Callable[[str], None]) -> dict[str, Any]:
    """Make the pairs, write them into a folder, and return their provenance.

    Args:
        plan: The sources.
        out: The folder. The parts that it has already are not made again.
        log: Called with a line of progress.

    Raises:
        SearchLogError: The log of searches cannot be read.
        TrainingError: The folder holds pairs of another plan, or there are no pairs.
        OSError: A file cannot be read or written.
    """
    out.mkdir(parents=True, exist_ok=True)
    stated = json.loads(json.dumps(asdict(plan), default=str))
    plan_file = out / PLAN
    if plan_file.exists() and json.loads(plan_file.read_text("utf-8")).get("plan") != stated:
        raise TrainingError(f"{out} holds pairs of other sources; choose another folder")
    plan_file.write_text(json.dumps({"plan": stated}), "utf-8")
    parts: list[Path] = []
    for name, source in _sources(plan):
        part = out / f"part-{name}.jsonl.zst"
        parts.append(part)
        if not part.exists():
            log(f"{name}: {write_pairs(part, source()):,} pairs")
    left_out = {plain_name(name) for name in plan.leave_out}
    found = (pair for part in parts if _has_pairs(part) for pair in read_pairs(part))
    pairs = list(_distinct(pair for pair in found if plain_name(pair.repo) not in left_out))
    if not pairs:
        raise TrainingError("there are no pairs in these sources")
    log(f"{len(pairs):,} distinct pairs; looking for hard negatives")
    count = write_pairs(out / PAIRS, add_negatives(pairs, plan.seed))
    provenance = {
        "plan": stated,
        "pairs": count,
        "kinds": dict(sorted(Counter(pair.kind for pair in pairs).items())),
        "languages": dict(Counter(pair.language for pair in pairs).most_common()),
        "repositories": len({pair.repo for pair in pairs}),
    }
    plan_file.write_text(json.dumps(provenance, indent=1), "utf-8")
    return provenance


def plain_name(name: str) -> str:
    """Return the name of a repository or package without its owner, as package indexes compare names."""
    return name.rpartition("/")[2].lower().replace("_", "-").replace(".", "-")


def record_pairs(records: Sequence[dict[str, Any]], documented: dict[tuple[str, str], str]) -> Iterator[Pair]:
    """Yield the pairs of one commit, and remember its files for their documentation.

    Args:
        records: The records of the commit's files.
        documented: The latest text of each file, by repository and path.
    """
    first = records[0]
    files = []
    for record in records:
        documented[record["repo"], record["path"]] = record["after"]
        files.append((record["path"], record["language"], record["before"], record["after"]))
    yield from commit_pairs(first["repo"], str(first.get("subject", "")), files)


def documentation_pairs(repo: str, path: str, language: str, text: str) -> Iterator[Pair]:
    """Yield the documented declarations of a file as pairs."""
    for found in find_documented(text, language):
        place = f"{repo}:{path}#{found.name}"
        yield Pair("documentation", repo, language, found.documentation, found.code, place)


def search_pairs(file: Path) -> Iterator[Pair]:
    """Yield what a person searched and then opened, as an editor's server has logged it.

    Raises:
        SearchLogError: The log cannot be read.
    """
    for opened in read_opened(file):
        place = f"{opened.folder}:{opened.path}#{opened.line}"
        yield Pair("search", opened.folder, opened.language, opened.query, opened.text, place)


def _sources(plan: PairsPlan) -> Iterator[tuple[str, Callable[[], Iterator[Pair]]]]:
    """Yield the sources: a name for each, and what makes its pairs."""
    shards = [] if plan.edits is None else train_shards(plan.edits, min_count=1)
    for shard in shards:
        yield shard.name.split(".")[0], partial(_shard, shard, plan)
    for repository in plan.repositories:
        yield _name(repository), partial(_repository, repository)
    for folder in plan.packages:
        yield _name(folder), partial(package_pairs, folder)
    if plan.searches is not None:
        yield "searches", partial(search_pairs, plan.searches)


def _name(folder: Path) -> str:
    resolved = folder.resolve()
    return f"{resolved.name}-{blake2b(str(resolved).encode(), digest_size=4).hexdigest()}"


def _shard(shard: Path, plan: PairsPlan) -> Iterator[Pair]:
    yield from _commits(sample_commits(shard, plan.commits, plan.seed))


def _repository(folder: Path) -> Iterator[Pair]:
    records = recent_records(folder, REPOSITORY_COMMITS)
    yield from _commits(
        [asdict(record) for record in group] for _, group in groupby(records, lambda record: record.commit)
    )


def _commits(commits: Iterable[list[dict[str, Any]]]) -> Iterator[Pair]:
    texts: dict[tuple[str, str], str] = {}
    languages: dict[tuple[str, str], str] = {}
    for records in commits:
        yield from record_pairs(records, texts)
        languages |= {(record["repo"], record["path"]): record["language"] for record in records}
    for (repo, path), text in texts.items():
        yield from documentation_pairs(repo, path, languages[repo, path], text)


def _distinct(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield each pair of texts once."""
    seen: set[bytes] = set()
    for pair in pairs:
        texts = f"{pair.query}\0{pair.document}".encode("utf-8", "replace")
        key = blake2b(texts, digest_size=12).digest()
        if key not in seen:
            seen.add(key)
            yield pair


def _has_pairs(part: Path) -> bool:
    """Return whether a part is more than the empty file of a source without pairs."""
    return part.stat().st_size > 20
