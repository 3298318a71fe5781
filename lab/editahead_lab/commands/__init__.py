"""The commands of `editahead-lab`, one module each. They import what they need inside of functions."""
