"""The evaluation of Apply: sketches made from real commits, and what the server makes of them."""
