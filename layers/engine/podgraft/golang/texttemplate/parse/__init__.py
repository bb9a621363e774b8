"""text/template/parse: the parser from the text of a template to its nodes."""
