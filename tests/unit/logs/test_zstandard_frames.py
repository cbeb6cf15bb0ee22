"""Archives of zstandard, whole, cut and broken, give what can be read of them.

Covers: statemachines.logs.storage.zstandard_frames, statemachines.logs.storage.unpacking.
"""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.logs.storage.zstandard_frames import ZstandardFrames, open_frames

zstandard = pytest.importorskip("zstandard")

_EMPTY_FRAMES = st.builds(
    lambda first, data: bytes([first]) + b"\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data,
    st.integers(0x50, 0x5F),
    st.binary(max_size=20),
)
_CONTENTS = st.binary(max_size=3000) | st.builds(
    lambda text, times: text * times, st.binary(min_size=1, max_size=9), st.integers(1, 300_000)
)


@st.composite
def _packed(draw: st.DrawFn) -> tuple[bytes, bytes]:
    content = draw(_CONTENTS)
    packer = zstandard.ZstdCompressor(
        level=draw(st.integers(1, 4)),
        write_checksum=draw(st.booleans()),
        write_content_size=draw(st.booleans()),
    )
    return packer.compress(content), content


_FRAMES = st.lists(
    _packed() | _EMPTY_FRAMES.map(lambda frame: (frame, b"")), min_size=1, max_size=4
)


def _unpacked(frames: ZstandardFrames) -> tuple[bytes, str | None]:
    """Return all that is given, and why it ends there."""
    found = bytearray()
    try:
        while block := frames.read1(1 << 20):
            found += block
    except (EOFError, zstandard.ZstdError) as error:
        return bytes(found), type(error).__name__
    return bytes(found), None


@given(_FRAMES)
def test_frames_are_given_one_after_another(frames: list[tuple[bytes, bytes]]) -> None:
    packed = io.BytesIO(b"".join(frame for frame, _ in frames))
    assert _unpacked(open_frames(packed)) == (b"".join(content for _, content in frames), None)


@given(_FRAMES, st.data())
def test_what_is_cut_or_broken_is_read_as_far_as_in_small_steps(
    frames: list[tuple[bytes, bytes]], data: st.DataObject
) -> None:
    packed = bytearray(b"".join(frame for frame, _ in frames))
    if data.draw(st.booleans(), "cut"):
        del packed[data.draw(st.integers(0, len(packed)), "end") :]
    for place in data.draw(st.lists(st.integers(0, max(0, len(packed) - 1)), max_size=2), "broken"):
        packed[place : place + 1] = bytes([data.draw(st.integers(0, 255))] if packed else [])
    careful = ZstandardFrames(io.BytesIO(packed), in_room=False)
    assert _unpacked(open_frames(io.BytesIO(packed))) == _unpacked(careful)


def test_of_a_broken_frame_no_more_is_lost_than_must_be() -> None:
    """Of several megabytes only the block that is broken, and what is behind it."""
    text = b"".join(b"%d is a number of a line\n" % number for number in range(300_000))
    packed = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(text))
    packed[len(packed) * 9 // 10] ^= 0xFF
    found, ended = _unpacked(open_frames(io.BytesIO(packed)))
    assert ended == "ZstdError"
    assert len(text) * 8 // 10 < len(found)
    assert text.startswith(found[: len(text) * 8 // 10])
