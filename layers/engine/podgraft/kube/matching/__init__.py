"""Match constraints and match conditions of overlays and validation policies."""
