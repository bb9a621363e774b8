"""``podgraft policy preview``: what a candidate would change for the recorded workloads."""
