"""One observation, as one group of release classes reads it: what it proves, and what is wrong."""
