"""A subject and its machine kept in step: attempts, calls, what is compared, what was covered."""
