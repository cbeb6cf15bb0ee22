"""Drafts of specs: what logs showed, as text of the notation with the evidence beside it."""
