"""``podgraft import``: configurations of other injectors, as a bundle and a policy."""
