"""Post-processing of the pod after the templates are merged (inject.go, postProcessPod)."""
