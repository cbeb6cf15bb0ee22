"""What is exchanged about logs: a record as read, and the rows of a report with their verdicts."""
