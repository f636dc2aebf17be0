"""A file becomes text as its reader meant it, what was changed is told, and what is no text is refused in words."""

import codecs
import io
import unicodedata
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedding_lab.corpus import CorpusError, normalised
from embedding_lab.text_files import WINDOWS_1252, read


@pytest.mark.parametrize(
    "data, text, told",
    [
        ("naïve ☃ 😀\n".encode(), "naïve ☃ 😀\n", {}),
        (codecs.BOM_UTF8 + b"abc", "abc", {"bom": True}),
        (codecs.BOM_UTF8 * 2 + b"abc", "\ufeffabc", {"bom": True}),  # only the first is one
        (b"a\r\nb\rc\n\r\n", "a\nb\nc\n\n", {"line_ends": 3}),
        ("e\u0301".encode(), "\u00e9", {"nfc": True}),
        ("\u212b\r".encode(), "\u00c5\n", {"nfc": True, "line_ends": 1}),
        (codecs.BOM_UTF16_LE + "a😀".encode("utf-16-le"), "a😀", {"encoding": "UTF-16", "bom": True}),
        (codecs.BOM_UTF16_BE + "a😀".encode("utf-16-be"), "a😀", {"encoding": "UTF-16", "bom": True}),
        ("“caf\u00e9” – 5 €".encode("cp1252"), "“caf\u00e9” – 5 €", {"encoding": "Windows-1252"}),
        (b"caf\xe9 \x81\x9d", "caf\u00e9 \x81\x9d", {"encoding": "Windows-1252", "undefined": 2}),
        (b"caf\xe9", "café", {"encoding": "Windows-1252"}),  # not the first byte of three
        ("Привет".encode()[:-1], "Приве", {"cut": 1}),
        ("naïve 😀".encode()[:-1], "naïve ", {"cut": 3}),
        ("only one 😀".encode()[:-2], "only one ", {"cut": 2}),
        (codecs.BOM_UTF8 + "aé".encode()[:-1], "a", {"bom": True, "cut": 1}),
        (codecs.BOM_UTF16_LE + "a😀".encode("utf-16-le")[:-1], "a", {"encoding": "UTF-16", "bom": True, "cut": 3}),
    ],
)
def test_what_was_changed_is_told(data, text, told):
    file = read(memoryview(data))
    assert file.text == text
    expected = {"encoding": "UTF-8", "bom": False, "line_ends": 0, "nfc": False, "undefined": 0, "cut": 0} | told
    assert {name: getattr(file, name) for name in expected} == expected


def test_windows_1252_is_pythons_wherever_that_defines_it():
    for byte in range(256):
        try:
            assert WINDOWS_1252[byte] == bytes([byte]).decode("cp1252")
        except UnicodeDecodeError:
            assert WINDOWS_1252[byte] == chr(byte) and byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_every_text_comes_back_from_utf_8_and_utf_16(text):
    for data in (text.encode(), codecs.BOM_UTF8 + text.encode(), text.encode("utf-16")):
        if data == text.encode() and text.startswith("\ufeff"):
            continue  # that is a byte order mark
        assert read(data).text == normalised(text)


@given(st.binary())
def test_any_bytes_are_a_normalised_text_or_are_refused(data):
    try:
        file = read(data)
    except CorpusError:
        return
    assert "\0" not in file.text and "\r" not in file.text and unicodedata.is_normalized("NFC", file.text)


def a_zip():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "text")
    return packed.getvalue()


@pytest.mark.parametrize(
    "data, message",
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "no text but a PNG picture: choose a text file"),
        (a_zip(), "no text but a zip, as .docx"),
        (b"%PDF-1.4\n%no zeros here", "no text but a PDF"),
        (b"\x7fELF\2\1\1\0\0", r"no text: it has zeros where a text has characters \(2 of them\)"),
        ("abc".encode("utf-16-le"), r"zeros.*\(3 of them\).*UTF-16 without a byte order mark \(save those as UTF-8\)"),
        (codecs.BOM_UTF16_LE + b"a\0\0\xd8b\0", "begins as UTF-16 does, but its byte 4 cannot be"),
        (
            "Привет, мир".encode() + b"\xe9\xff",
            "UTF-8, but 2 of its bytes are not, the first of them its byte 20: it is damaged",
        ),
        (codecs.BOM_UTF8 + b"caf\xe9 \xe9", "UTF-8, but 2 of its bytes are not, the first of them its byte 6"),
        ("ab".encode("utf-32"), "zeros where"),
    ],
)
def test_what_is_no_text_is_refused_in_words(data, message):
    with pytest.raises(CorpusError, match=message):
        read(data)


def test_notices_are_for_changes_of_letters():
    assert read(codecs.BOM_UTF8 + b"a\r\nb").notices() == []
    notices = read("e\u0301".encode("utf-16")).notices()
    assert len(notices) == 2 and "UTF-16" in notices[0] and "NFC" in notices[1]
    assert "its byte 3 cannot be" in read(b"caf\xe9 \x81").notices()[0]
    assert read("naïve 😀".encode()[:-1]).notices() == [
        "The file ends within a character, as one that was cut off does: its last 3 bytes were left out."
    ]
    assert read("Привет".encode()[:-1]).notices()[0].endswith("its last byte was left out.")
    assert "1 of its bytes stand for nothing" in read(b"caf\xe9 \x81").notices()[0]
