"""What fails, made short and simple, also in a fresh process."""
