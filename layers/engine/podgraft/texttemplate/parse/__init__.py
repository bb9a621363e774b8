"""text/template/parse: from the text of a template to its nodes."""
