"""Where the encoder is that comes with Editahead."""

from __future__ import annotations

from pathlib import Path

SHIPPED = Path(__file__).with_name("encoder.npz")
"""The encoder that comes with Editahead."""
