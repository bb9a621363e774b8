"""``podgraft bench``: measurements of the function and the server, each against a baseline."""
