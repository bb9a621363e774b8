"""The parts of Go's standard library that templates, sprig, CEL, and Istio's injector use.

Each package and module has the name of its Go package, and returns the results and the error
messages of Go 1.26. This package must not import templates, Kubernetes, or Istio.
"""
