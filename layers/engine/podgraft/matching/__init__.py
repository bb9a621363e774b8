"""Which requests an overlay or a rule is for: match constraints and match conditions."""
