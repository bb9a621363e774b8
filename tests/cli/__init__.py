"""A regular package: python-hcl2 installs a package of this name, which would hide a folder."""
