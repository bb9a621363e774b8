"""``podgraft policy rollout``: try a candidate on a share of the workloads, and stop it."""
