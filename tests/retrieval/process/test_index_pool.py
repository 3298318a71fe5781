"""Few processes for many indexes: none is left out, no request is lost, and no more run than may."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from editahead_retrieval.process.index_pool import MAX_KEPT_PATHS, IndexPool, PooledIndex
from editahead_retrieval.process.messages import IndexReport, IndexRequest, IndexTask


class Process:
    """A process that does what a test says."""

    def __init__(self, root: str, report: Callable[[IndexReport], None]) -> None:
        self.root, self.report = root, report
        self.requests: list[IndexRequest] = []
        self.is_stopped = False

    def send(self, request: IndexRequest) -> None:
        self.requests.append(request)

    def stop(self) -> None:
        self.is_stopped = True


class Pool:
    """A pool of such processes, with indexes by name."""

    def __init__(self, max_processes: int) -> None:
        self.alive: dict[str, Process] = {}
        self.sent: dict[str, list[IndexRequest]] = {}
        self.reports: dict[str, list[str]] = {}
        self.pool = IndexPool(self._start, max_processes)
        self.indexes: dict[str, PooledIndex] = {}

    def _start(self, task: IndexTask, on_report: Callable[[IndexReport], None]) -> Process:
        assert task.root not in self.alive
        self.alive[task.root] = Process(task.root, on_report)
        return self.alive[task.root]

    def add(self, name: str) -> None:
        self.reports[name] = []
        self.sent[name] = []
        self.indexes[name] = self.pool.start(
            IndexTask(name, name), lambda report: self.reports[name].append(report.state)
        )

    def end(self, name: str) -> None:
        """Let the process of an index be gone."""
        process = self.alive.pop(name)
        self.sent[name] += process.requests
        process.report(IndexReport("ended"))

    def rest(self, name: str) -> None:
        self.alive[name].report(IndexReport("ready"))
        self.end_stopped()

    def end_stopped(self) -> None:
        while stopped := [name for name, process in self.alive.items() if process.is_stopped]:
            self.end(stopped[0])


def test_sixty_folders() -> None:
    pool = Pool(3)
    names = [f"f{number}" for number in range(60)]
    for name in names:
        pool.add(name)
    for number in range(0, 60, 3):  # in their order
        assert list(pool.alive) == names[number : number + 3]
        for name in names[number : number + 3]:
            pool.rest(name)
    assert all(pool.reports[name] == ["ready"] for name in names)


def test_as_many_as_there_may_be_stay() -> None:
    pool = Pool(3)
    for name in "abc":
        pool.add(name)
        pool.rest(name)
    assert list(pool.alive) == ["a", "b", "c"]


def test_the_one_that_rests_longest_makes_room_for_a_request() -> None:
    pool = Pool(2)
    for name in "abc":
        pool.add(name)
    pool.rest("b")
    assert list(pool.alive) == ["a", "c"]
    pool.rest("c")
    pool.rest("a")
    pool.indexes["b"].send(IndexRequest(changed=("x",)))
    pool.end_stopped()
    assert list(pool.alive) == ["a", "b"]
    assert pool.alive["b"].requests == [IndexRequest(changed=("x",))]


def test_requests_for_an_index_without_a_process_become_one() -> None:
    pool = Pool(1)
    pool.add("a")
    pool.add("b")
    for number in range(MAX_KEPT_PATHS):
        pool.indexes["b"].send(IndexRequest(changed=(f"{number}",)))
    pool.indexes["b"].send(IndexRequest(changed=("0",), prefer=("p/",)))
    pool.rest("a")
    (request,) = pool.alive["b"].requests
    assert len(request.changed) == MAX_KEPT_PATHS and request.prefer == ("p/",) and not request.look
    pool.indexes["a"].send(IndexRequest(rebuild=True))
    for number in range(MAX_KEPT_PATHS + 1):
        pool.indexes["a"].send(IndexRequest(changed=(f"{number}",)))
    pool.rest("b")
    assert pool.alive["a"].requests == [IndexRequest(look=True, rebuild=True)]


def test_a_process_that_dies_is_reported_and_gives_its_place() -> None:
    pool = Pool(1)
    pool.add("a")
    pool.add("b")
    pool.end("a")
    assert pool.reports["a"] == ["ended"]
    assert list(pool.alive) == ["b"]


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "rest", "end", "send", "stop", "gone"]), st.integers(0, 7)), max_size=80
)


@given(STEPS, st.integers(1, 3))
def test_no_more_than_may_and_no_request_is_lost(
    steps: Sequence[tuple[str, int]], max_processes: int
) -> None:
    pool = Pool(max_processes)
    wanted: dict[str, set[str]] = {}
    stopped: set[str] = set()
    for number, (step, which) in enumerate(steps):
        if step == "add":
            wanted[f"f{number}"] = set()
            pool.add(f"f{number}")
            continue
        names = list(pool.indexes if step in ("send", "stop") else pool.alive)
        if not names:
            continue
        name = names[which % len(names)]
        if step == "send":
            pool.indexes[name].send(IndexRequest(changed=(f"{number}",)))
            if name not in stopped:
                wanted[name].add(f"{number}")
        elif step == "stop":
            pool.indexes[name].stop()
            stopped.add(name)
        elif step == "rest":
            pool.alive[name].report(IndexReport("ready"))
        elif step == "end" and pool.alive[name].is_stopped:
            pool.end(name)
        elif step == "gone" and not pool.alive[name].is_stopped:
            pool.end(name)
            pool.indexes[name].stop()  # as a service that starts it no more
            stopped.add(name)
        assert len(pool.alive) <= max_processes
    for _ in range(2 * len(pool.indexes)):  # all get their turns in the end
        for name in list(pool.alive):
            if name in pool.alive:
                pool.rest(name)
    pool.end_stopped()
    for name, paths in wanted.items():
        sent = pool.sent[name] + (pool.alive[name].requests if name in pool.alive else [])
        if name not in stopped:
            assert {path for request in sent for path in request.changed} == paths
            assert pool.reports[name]
        else:
            assert name not in pool.alive
