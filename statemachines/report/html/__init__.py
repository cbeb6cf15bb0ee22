"""Parts of the HTML report: each turns rows of a report into elements of a page."""
