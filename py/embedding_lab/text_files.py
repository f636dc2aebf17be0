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
    """

    text: str
    encoding: str
    not_utf8_at: int | None
    bom: bool
    line_ends: int
    nfc: bool
    undefined: int

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
        if self.nfc:
            told.append("Letters and accents that stood apart were joined (Unicode's normal form NFC).")
        return told


def read(data: bytes | memoryview) -> TextFile:
    """The text of a file, from its content: in UTF-8, in UTF-16 with a byte order mark, else in Windows-1252.

    Raises:
        CorpusError: it is no text.
    """
    start = bytes(data[:8])
    for signature, kind in SIGNATURES.items():
        if start.startswith(signature):
            raise CorpusError(f"This is no text but {kind}: {ADVICE}")
    text, encoding, not_utf8_at = _decoded(data, start)
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
    )


def _decoded(data, start: bytes) -> tuple[str, str, int | None]:
    """The text with its byte order mark, the name of its encoding, and where it is not UTF-8."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        order = "utf-16-le" if start.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
        try:
            return str(data, order), "UTF-16", 0
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"The file begins as UTF-16 does, but its byte {error.start:,} cannot be ({error.reason}): save it as UTF-8."
            ) from None
    try:
        return str(data, "utf-8"), "UTF-8", None
    except UnicodeDecodeError as error:
        return codecs.charmap_decode(data, "strict", WINDOWS_1252)[0], "Windows-1252", error.start
