"""The W3C's State Chart XML, read and written."""
