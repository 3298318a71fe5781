"""The evaluation of `finish`: what it finds of commits with hunks left out."""
