"""What runs: the web application, the server, the stores, and their settings."""
