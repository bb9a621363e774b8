"""Injection as Istio 1.0 and 1.8 do it: one template, and additions to the pod."""
