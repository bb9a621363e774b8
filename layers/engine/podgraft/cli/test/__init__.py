"""``podgraft test``: tests of a bundle and its policy, in files next to them.

A test runs the reviews that ``podgraft explain`` runs, with the code of the webhook. The modules
here select files, compare results, and write reports. They decide nothing about an object.
"""
