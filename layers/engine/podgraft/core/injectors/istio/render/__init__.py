"""Rendering of Istio's templates, with Istio's own template functions."""
