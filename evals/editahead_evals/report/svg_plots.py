"""Small plots as inline SVG. Colours come from the page (CSS classes), so that they suit light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from editahead_evals.metrics.bootstrap import Interval

WIDTH, HEIGHT = 420, 280
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 40
ROW = 26
"""Height of a bar's row."""
NAMES = 130
"""Width of the bars' names."""

Point = tuple[float, float]


def line_plot(
    points: Sequence[Point],
    *,
    x: str,
    y: str,
    widest: float = 1.0,
    marks: Sequence[tuple[float, float, str]] = (),
    diagonal: bool = False,
    dots: bool = False,
) -> str:
    """Draw a line through points. y runs from 0 to 1, x from 0 to `widest`; `marks` are further points with names."""

    def at(point: Point) -> Point:
        return (
            LEFT + point[0] / widest * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - point[1] * (HEIGHT - TOP - BOTTOM),
        )

    parts = [_axes(x, y, widest)]
    if diagonal:
        (x1, y1), (x2, y2) = at((0, 0)), at((1, 1))
        parts.append(f'<line class="faint" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
    if points:
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in map(at, points))
        parts.append(f'<polyline class="curve" points="{path}"/>')
    if dots:
        parts += [f'<circle class="dot" cx="{px:.1f}" cy="{py:.1f}" r="3"/>' for px, py in map(at, points)]
    for mark in marks:
        px, py = at(mark[:2])
        parts.append(f'<circle class="mark" cx="{px:.1f}" cy="{py:.1f}" r="5"/>')
        parts.append(f'<text x="{px + 9:.1f}" y="{py + 4:.1f}">{escape(mark[2])}</text>')
    return _svg(HEIGHT, parts, f"{y} by {x}")


def bars(rows: Sequence[tuple[str, Interval, str]], what: str) -> str:
    """Draw a bar from 0 to 1 for each row (name, value, note), with its interval as a whisker."""
    parts = []
    full = WIDTH - NAMES - 90
    for number, (name, interval, note) in enumerate(rows):
        middle = number * ROW + ROW / 2
        parts.append(f'<text class="end" x="{NAMES - 8}" y="{middle + 4:.1f}">{escape(name)}</text>')
        parts.append(f'<rect class="track" x="{NAMES}" y="{middle - 7:.1f}" width="{full}" height="14"/>')
        if interval.value is not None:
            width = interval.value * full
            parts.append(
                f'<rect class="bar" x="{NAMES}" y="{middle - 7:.1f}" width="{width:.1f}" height="14"/>'
            )
            if interval.low is not None and interval.high is not None:
                low, high = (NAMES + bound * full for bound in (interval.low, interval.high))
                parts.append(
                    f'<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"/>'
                )
        value = "-" if interval.value is None else f"{interval.value:.2f}"
        parts.append(f'<text x="{NAMES + full + 8}" y="{middle + 4:.1f}">{value} {escape(note)}</text>')
    return _svg(ROW * max(len(rows), 1), parts, what)


def _axes(x: str, y: str, widest: float) -> str:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [
        f'<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{right}" y2="{bottom}"/>',
        f'<line class="axis" x1="{LEFT}" y1="{TOP}" x2="{LEFT}" y2="{bottom}"/>',
        f'<text class="middle" x="{(LEFT + right) / 2}" y="{HEIGHT - 6}">{escape(x)}</text>',
        f'<text class="middle" transform="rotate(-90)" x="{-(TOP + bottom) / 2}" y="12">{escape(y)}</text>',
    ]
    for tick in range(6):
        share = tick / 5
        at = LEFT + share * (right - LEFT)
        parts.append(f'<text class="middle" x="{at:.1f}" y="{bottom + 16}">{share * widest:.2g}</text>')
        at = bottom - share * (bottom - TOP)
        parts.append(f'<text class="end" x="{LEFT - 6}" y="{at + 4:.1f}">{share:.1f}</text>')
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}"/>')
    return "".join(parts)


def _svg(height: int, parts: Sequence[str], label: str) -> str:
    head = f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" aria-label="{escape(label)}">'
    return head + "".join(parts) + "</svg>"
