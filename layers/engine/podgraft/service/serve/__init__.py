"""``podgraft serve``: admission reviews over HTTPS, without AWS."""
