"""Bytes that sort as values do, so that Spark's own sort is the order of a report."""

from __future__ import annotations

INTEGER, TEXT, TUPLE, NOTHING = b"\x02", b"\x03", b"\x04", b"\x01"
END = b"\x00"


def sortable_bytes(value: object) -> bytes:
    r"""Encode a value so that bytes compare as values do.

    Args:
        value: None, a bool, an integer of any size, a text, or a tuple of these. Only values whose
            parts have the same types, place by place, can be compared; None comes first.

    Raises:
        TypeError: For any other value.

    >>> values = [(1, "b"), (1, "a\0"), (1, "a"), (-2, "z"), (300, ""), (1,), (1, "é")]
    >>> sorted(values) == sorted(values, key=sortable_bytes)
    True
    """
    match value:
        case None:
            return NOTHING
        case int():
            return INTEGER + _integer_bytes(value)
        case str():
            return TEXT + _text_bytes(value)
        case tuple():
            return TUPLE + b"".join(map(sortable_bytes, value)) + END
    raise TypeError(f"cannot sort a {type(value).__name__} by its bytes: {value!r}")


def _integer_bytes(value: int) -> bytes:
    """Encode the sign, the length and the bytes; a negative one turned around."""
    magnitude = abs(value)
    size = (magnitude.bit_length() + 7) // 8
    plain = size.to_bytes(4, "big") + magnitude.to_bytes(size, "big")
    return b"\x01" + plain if value >= 0 else b"\x00" + bytes(255 - byte for byte in plain)


def _text_bytes(value: str) -> bytes:
    """Encode as UTF-8, which sorts as code points do, with an end that is less than any character;
    NUL is kept apart from it.
    """
    return value.encode("utf-8", "surrogatepass").replace(b"\x00", b"\x00\x01") + b"\x00\x00"
