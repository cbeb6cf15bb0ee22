"""Values and expressions as text, why no transition took an event, and the caller's mistakes."""
