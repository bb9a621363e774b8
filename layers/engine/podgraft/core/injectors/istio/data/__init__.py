"""The template data of Istio's templates."""
