"""What `finish` finds of commits with hunks left out: the fit and the figures."""
