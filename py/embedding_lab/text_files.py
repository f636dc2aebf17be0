"""Reads text from the bytes of a file that may be anything, and says what had to be changed on the way."""

import codecs
from dataclasses import dataclass

from .corpus import CorpusError, normalised, with_newlines

# Byte by byte from 0x80, where it is not Latin-1. Five bytes stand for nothing: the Encoding Standard of browsers (WHATWG)
# reads them as control characters of the same number.
_FROM_80 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"
WINDOWS_1252 = "".join(map(chr, range(0x80))) + _FROM_80 + "".join(map(chr, range(0xA0, 0x100)))
UNDEFINED = "\x81\x8d\x8f\x90\x9d"
# What some files that are no text begin with; others are known by their bytes of 0.
SIGNATURES = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a zip, as .docx, .odt, .epub and .xlsx files are",
    b"\x1f\x8b": "a file compressed by gzip",
    b"\xd0\xcf\x11\xe0": "a document of an older Word or Excel",
}
ADVICE = "choose a text file, or copy the text and paste it."
DECODERS = {"utf-8": codecs.utf_8_decode, "utf-16-le": codecs.utf_16_le_decode, "utf-16-be": codecs.utf_16_be_decode}
NOT_ASCII = bytes(range(0x80, 0x100))
PIECE = 2**20  # bytes looked at together, which bounds the memory that takes


@dataclass(frozen=True)
class TextFile:
    """The text of a file.

    Attributes:
        text: as `corpus.normalised` makes it.
        encoding: "UTF-8", "UTF-16" or "Windows-1252".
        not_utf8_at: where the first byte is that no UTF-8 has, None in UTF-8.
        bom: whether a byte order mark was dropped at the beginning.
        line_ends: how many were other than a single newline, and are one now.
        nfc: whether there was anything that Unicode's normal form writes otherwise.
        undefined: bytes that stand for nothing in Windows-1252.
        cut: bytes at the end that were left out, since they only begin a character, as in a file that was cut off.
    """

    text: str
    encoding: str
    not_utf8_at: int | None
    bom: bool
    line_ends: int
    nfc: bool
    undefined: int
    cut: int

    def notices(self) -> list[str]:
        """What a reader should know of the changes, a sentence each; byte order marks and line ends change no letter."""
        told = []
        if self.encoding == "Windows-1252":
            some = f"; {self.undefined:,} of its bytes stand for nothing there" if self.undefined else ""
            told.append(
                f"The file is not UTF-8 (its byte {self.not_utf8_at:,} cannot be), so it was read as Windows-1252{some}: "
                "if letters are wrong, save it as UTF-8."
            )
        if self.encoding == "UTF-16":
            told.append("The file was read as UTF-16.")
        if self.cut:
            some = f"{self.cut} bytes were" if self.cut > 1 else "byte was"
            told.append(f"The file ends within a character, as one that was cut off does: its last {some} left out.")
        if self.nfc:
            told.append("Letters and accents that stood apart were joined (Unicode's normal form NFC).")
        return told


def read(data: bytes | memoryview) -> TextFile:
    """The text of a file, from its content: in UTF-8, in UTF-16 with a byte order mark, else in Windows-1252.

    Raises:
        CorpusError: it is no text, or most of it is UTF-8 and the rest is not.
    """
    start = bytes(data[:8])
    for signature, kind in SIGNATURES.items():
        if start.startswith(signature):
            raise CorpusError(f"This is no text but {kind}: {ADVICE}")
    text, encoding, not_utf8_at, cut = _decoded(data, start)
    if "\0" in text:
        raise CorpusError(
            f"This is no text: it has zeros where a text has characters ({text.count(chr(0)):,} of them), as programs and "
            f"pictures do, and texts in UTF-16 without a byte order mark (save those as UTF-8): {ADVICE}"
        )
    bom = encoding != "Windows-1252" and text.startswith("\ufeff")
    line_ends = text.count("\r")  # alone or before \n, each is one line's end
    text = with_newlines(text[1:] if bom else text)
    made = normalised(text)
    return TextFile(
        text=made,
        encoding=encoding,
        not_utf8_at=not_utf8_at,
        bom=bom,
        line_ends=line_ends,
        nfc=made != text,
        undefined=sum(map(text.count, UNDEFINED)) if encoding == "Windows-1252" else 0,
        cut=cut,
    )


def _decoded(data: bytes | memoryview, start: bytes) -> tuple[str, str, int | None, int]:
    """The text with its byte order mark, the name of its encoding, where it is not UTF-8, and bytes that were cut."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        order = "utf-16-le" if start.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
        try:
            text, cut = _whole_characters(data, order)
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"The file begins as UTF-16 does, but its byte {error.start:,} cannot be ({error.reason}): save it as UTF-8."
            ) from None
        return text, "UTF-16", 0, cut
    try:
        text, cut = _whole_characters(data, "utf-8")
        # One byte alone at the end may as well be a letter of Windows-1252.
        if cut != 1 or not text.isascii():
            return text, "UTF-8", None, cut
        at = len(data) - cut
    except UnicodeDecodeError as error:
        at = error.start
        if wrong := _wrong_in_utf8(data):
            raise CorpusError(
                f"Most of this file is UTF-8, but {wrong:,} of its bytes are not, the first of them its byte {at:,}: it is "
                "damaged, or made of files in different encodings. Mend those places, or use another copy."
            ) from None
    return codecs.charmap_decode(data, "strict", WINDOWS_1252)[0], "Windows-1252", at, 0


def _whole_characters(data: bytes | memoryview, encoding: str) -> tuple[str, int]:
    """The text but for a character that is not whole at its end, and how many bytes that has.

    Raises:
        UnicodeDecodeError: elsewhere.
    """
    text, read = DECODERS[encoding](data, "strict", False)
    return text, len(data) - read


def _wrong_in_utf8(data: bytes | memoryview) -> int:
    """How many bytes are no UTF-8, if those that are beyond ASCII are more; else 0."""
    beyond = right = 0
    for at in range(0, len(data), PIECE):
        piece = bytes(data[at : at + PIECE])
        ascii = len(piece.translate(None, NOT_ASCII))
        beyond += len(piece) - ascii
        right += len(piece.decode("utf-8", "ignore").encode()) - ascii
    return beyond - right if right > beyond - right else 0
