"""Messages to templates: the words that lines have in common, and what differs between them."""
