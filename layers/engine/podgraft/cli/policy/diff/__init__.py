"""What a change of a policy and its bundle does to objects of a cluster.

``versions`` loads the configuration before and after the change, ``objects`` the objects, and
``review`` runs the reviews of both. ``comparison`` groups the objects by identical change, which
``fields`` finds. ``formats`` writes the result.
"""
