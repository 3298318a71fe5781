"""How well `finish` finds what was taken out of real commits."""
