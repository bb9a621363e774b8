"""A CustomResourceDefinition for tests."""


def format_definition(
    kind: str, schema: str, *, group: str = "example.com", scope: str = "Namespaced"
) -> str:
    """The YAML of the definition of a kind, in version v1, with a *schema* in flow style."""
    plural = f"{kind.lower()}s"
    return f"""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.{group}}}
spec:
  group: {group}
  scope: {scope}
  names: {{kind: {kind}, plural: {plural}}}
  versions:
  - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {schema}}}}}
"""
