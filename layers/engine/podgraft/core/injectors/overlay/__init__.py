"""``Overlay`` documents: any sidecar or default, for objects of any kind."""
