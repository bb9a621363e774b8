"""Go's standard library, as far as templates, sprig, CEL and Istio's injector use it.

Each package and module has the name of its Go package, and gives the results and the error
messages of Go 1.26. Nothing here knows templates, Kubernetes, or Istio.
"""
