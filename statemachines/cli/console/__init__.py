"""Where words go: the terminal, files, the form of a report, bars."""
