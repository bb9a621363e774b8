"""``podgraft policy census``: the key of the census, and its records."""
