"""Injection of Istio 1.0 to 1.8: one template that renders additions to the pod."""
