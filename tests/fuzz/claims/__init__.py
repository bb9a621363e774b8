"""One module for each claim, with the function ``fuzz``."""
