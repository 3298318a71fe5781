"""What another language server says of a symbol: where its name is, before a person renames it or changes its signature.

The places are values that move with the text. Whoever reads them checks that the name is still there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .text.edits import Edit, Replacement

_SIGNATURE_CHARS = 1000
"""Characters behind a name in which an edit may change the signature: the list of parameters."""


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A place of the name in an open document.

    Attributes:
        uri: The document's URI.
        start: The offset of the name.
        before: What a rename puts before the new name, such as the key of `{ key: name }`.
        after: What a rename puts behind it.
    """

    uri: str
    start: int
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class ClosedPlace:
    """A place of the name in a file that is not open.

    Attributes:
        uri: The file's URI.
        line: The 0-based line.
        column: The 0-based column in the units of the client. Of several names on the line, the nearest one is meant.
        before: What a rename puts before the new name.
        after: What a rename puts behind it.
    """

    uri: str
    line: int
    column: int
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class SymbolEvidence:
    """The places of a symbol's name, as another language server knows them.

    Attributes:
        name: The name that the places have.
        uri: The document that declares the symbol.
        start: The offset of its name there: the same name, or what the person has made of it.
        end: The offset behind it.
        places: The other places, in open documents.
        closed_places: Those in files that are not open.
        is_complete: Whether the server knows no other places in the files of its language.
        is_touched: Whether the name, or what follows it closely, was edited since.
    """

    name: str
    uri: str
    start: int
    end: int
    places: tuple[NamedPlace, ...] = ()
    closed_places: tuple[ClosedPlace, ...] = ()
    is_complete: bool = False
    is_touched: bool = False

    def rebase(self, uri: str, edit: Edit) -> SymbolEvidence | None:
        """Return the evidence after an edit of a document; None if the edit replaced more than the declared name."""
        places = tuple(
            replace(place, start=edit.map_offset(place.start)) if place.uri == uri else place
            for place in self.places
            if place.uri != uri or not _overlaps(edit, place.start, place.start + len(self.name))
        )
        if uri != self.uri:
            return replace(self, places=places)
        if any(_outgrows(one, self.start, self.end) for one in edit.replacements):
            return None
        reach = self.end + _SIGNATURE_CHARS
        return replace(
            self,
            start=edit.map_offset(self.start, "before"),
            end=edit.map_offset(self.end, "after" if _goes_on(edit, self.end) else "before"),
            places=places,
            is_touched=self.is_touched
            or any(self.start <= one.end and one.start <= reach for one in edit.replacements),
        )


def _overlaps(edit: Edit, start: int, end: int) -> bool:
    return any(one.start < end and start < one.end for one in edit.replacements)


def _outgrows(one: Replacement, start: int, end: int) -> bool:
    """Return whether a replacement takes away a part of the name, and something beside it."""
    return one.start < end and start < one.end and not (start <= one.start and one.end <= end)


def _goes_on(edit: Edit, end: int) -> bool:
    """Return whether what an edit puts behind a name belongs to the name."""
    added = next((one.text for one in edit.replacements if one.start <= end <= one.end), "")
    return added[:1].isalnum() or added[:1] in ("_", "$")
