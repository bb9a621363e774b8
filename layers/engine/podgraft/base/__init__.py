"""Values, errors of documents, deadlines, and caches: what every room uses."""
