"""Apply, measured: sketches made from real commits in the styles that models write, and what the server makes of them."""
