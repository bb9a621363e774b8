"""Registering a webhook endpoint with a cluster: what is asked for in, Kubernetes manifests out.

``endpoint`` enforces what ``clientConfig.url`` may be, ``webhooks`` writes the two configurations,
``selectors`` says which pods they are for, ``guard`` writes the admission policy that catches what
a webhook missed, ``control_plane`` the files by which kube-apiserver shows who it is. Nothing here
reads a file or a clock; manifests are plain JSON, equal for equal questions.
"""

from registration.errors import RegistrationError

__all__ = ["RegistrationError"]
