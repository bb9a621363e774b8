"""The compiler from the nodes of a template to Python code."""
