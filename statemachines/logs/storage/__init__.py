"""Files as they lie on disk: compression, encodings, pipes, the order of rotated files."""
