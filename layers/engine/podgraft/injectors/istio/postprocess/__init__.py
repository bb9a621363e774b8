"""What Istio does to a pod after its templates are merged (inject.go, postProcessPod)."""
