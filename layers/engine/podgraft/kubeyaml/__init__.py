"""kubeyaml."""
