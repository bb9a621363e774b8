"""The data that Istio's templates read."""
