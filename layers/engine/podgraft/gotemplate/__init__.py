"""gotemplate."""
