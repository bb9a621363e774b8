"""``podgraft demo``: injection over HTTPS on this machine, from a CA to the patch."""
