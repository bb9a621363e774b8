"""What podgraft downloads and ships: locks, advisories, licenses, SBOMs, and provenance."""
