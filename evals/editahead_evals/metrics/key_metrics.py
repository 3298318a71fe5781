"""From the edits shown while a person types to figures, by surface."""

from __future__ import annotations

from dataclasses import dataclass, field

from editahead_prompts.typing_time import KEY_S

from .confidence_curve import Answer
from .key_judge import keys_saved, time_saved
from .metrics import Ratio
from .surface_observer import SurfaceObserver

SURFACES = ("inlineCompletion", "copilotInlineEdit")
"""The surfaces that are asked after each key, by the last part of their method's name."""


@dataclass(slots=True)
class KeyCounts:
    """The sums over the keys of one surface.

    Attributes:
        keys: keys of the person; each is one request.
        shown: suggestions shown, each once.
        true: suggestions that the person then made.
        partly: suggestions of which the person made a part.
        wrong: all other suggestions.
        flickers: suggestions that changed or vanished under typing that agreed with them.
        saved: keys that taking the true ones would have saved, less one for each accept.
        seconds: seconds that taking the true ones would have saved, less those of reading all that is shown.
        typing_s: seconds that the keys take.
    """

    keys: int = 0
    shown: int = 0
    true: int = 0
    partly: int = 0
    wrong: int = 0
    flickers: int = 0
    saved: int = 0
    seconds: float = 0.0
    typing_s: float = 0.0


KEY_METRICS = {
    "time saved": Ratio("seconds", "typing_s"),
    "saved": Ratio("saved", "keys"),
    "wrong/100": Ratio("wrong", "keys", 100),
    "shown/100": Ratio("shown", "keys", 100),
    "came true": Ratio("true", "shown"),
    "partly": Ratio("partly", "shown"),
    "flickered/100": Ratio("flickers", "keys", 100),
}


@dataclass(slots=True)
class SurfaceResult:
    """What one surface showed in one session.

    Attributes:
        answers: each suggestion with its confidence, and whether it came true.
        ms: the latency of each answer, in milliseconds.
    """

    counts: KeyCounts
    answers: list[Answer] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)


@dataclass(slots=True)
class SessionResult:
    """One session's result, by surface."""

    id: str
    language: str
    faces: dict[str, SurfaceResult]


def surface_result(observer: SurfaceObserver, keys: int, ms: list[float]) -> SurfaceResult:
    """Return the figures of what a surface showed in a session.

    Args:
        observer: of the surface.
        keys: the number of keys of the session.
        ms: the latency of each answer, in milliseconds.
    """
    statuses = [edit.status for edit in observer.shown]
    counts = KeyCounts(
        keys=keys,
        shown=len(statuses),
        true=statuses.count("true"),
        partly=statuses.count("partly"),
        wrong=statuses.count("wrong"),
        flickers=observer.flickers,
        saved=keys_saved(observer.shown),
        seconds=round(time_saved(observer.shown), 3),
        typing_s=round(keys * KEY_S, 3),
    )
    answers = [
        Answer(True, edit.status == "true", confidence=edit.confidence)
        for edit in observer.shown
        if edit.confidence is not None
    ]
    return SurfaceResult(counts, answers, ms)
