"""What podgraft decides and does: policies, bundles, injectors, and the review."""
