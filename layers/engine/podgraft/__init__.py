"""podgraft: sidecars for the pods of many clusters, from one function.

Data flows one way: ``web`` or ``cli`` → ``review`` → ``store`` → ``bundle`` → ``policy`` →
``injection`` → ``patch`` → ``admission``. docs/architecture.md is the map.
"""
