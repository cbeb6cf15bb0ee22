"""Parts of the text report: each turns rows of a report into lines a person reads."""
