"""A spec's text in the form in which all specs are written; its comments stay."""
