"""What Go was asked: templates by subject, over the data of ``generator.DATA``.

Each module has a table whose rows are one line each, grouped under comments.
"""
