"""The injectors: Istio's, App Mesh's, and overlays.

A compiled injector takes an object as raw JSON and returns a mutation, or raises an error of the
object's author or of the operator. Nothing here decides whether to inject (``policy`` does), or
reads a clock, the environment, or a file.
"""
