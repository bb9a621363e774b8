"""The store in a folder: policies, callers, and bundles as files."""
