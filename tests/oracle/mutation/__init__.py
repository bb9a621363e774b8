"""Questions for the program of this folder, which asks kube-apiserver's own code."""
