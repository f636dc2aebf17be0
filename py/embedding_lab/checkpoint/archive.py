"""Reads a zip that may be anything: nothing that it declares is believed, and what it gives is bounded."""

import io
import struct
import zipfile
import zlib

from .contents import LARGEST_DIRECTORY, MOST_MEMBERS, CheckpointError

END = struct.Struct("<10xHIIH")  # of the last record how many files, bytes and where of the directory, and of a comment
LONGEST_COMMENT = 0xFFFF


class Archive:
    """The files of a zip.

    Args:
        data: all of it.

    Attributes:
        names: of its files.

    Raises:
        CheckpointError: it is no zip of a saved run.
    """

    FAULTS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError, OverflowError)

    def __init__(self, data: bytes) -> None:
        # Its last record says how long its directory is. Looked at first, since zipfile makes an object of each entry.
        end = data.rfind(b"PK\5\6", -END.size - LONGEST_COMMENT)
        record = data[end : end + END.size]  # where there is none, too few bytes
        if len(record) < END.size or END.unpack(record)[-1] != len(data) - end - END.size:
            raise CheckpointError(
                "The zip does not end where its directory ends: it was cut off or changed. Save the run again, or "
                "download it again."
            )
        if data[max(0, end - 20) : end].startswith(b"PK\6\7"):
            raise CheckpointError("The zip has a zip64 directory, which this reader does not take: pack it without.")
        count, size, begin, _ = END.unpack(record)
        if begin + size > end:
            raise CheckpointError(f"The zip says that its directory begins at byte {begin:,}, and it has {len(data):,}.")
        if count > MOST_MEMBERS or size > LARGEST_DIRECTORY:
            raise CheckpointError(f"The zip has more than the {MOST_MEMBERS} files of which a saved run may be made.")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except self.FAULTS as fault:
            raise CheckpointError(f"The zip is damaged: {_told(fault)}. Save the run again, or download it again.") from None
        self._size = len(data)
        self._members = self._archive.infolist()
        self.names = [member.filename for member in self._members]
        if len(self.names) > MOST_MEMBERS or len(set(self.names)) != len(self.names):
            raise CheckpointError("The zip has too many files, or two of one name: it is not as the lab saved it.")

    def read(self, path: str, most: int) -> bytes | None:
        """A file of at most so many bytes; None where there is none."""
        if path not in self.names:
            return None
        member = self._members[self.names.index(path)]
        if member.flag_bits & 0b1000001:
            raise CheckpointError(f"{path} is encrypted in the zip: pack it without a password.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise CheckpointError(f"{path} is packed by method {member.compress_type}: pack it stored or deflated.")
        if member.file_size > most:
            raise CheckpointError(f"{path} has {member.file_size:,} bytes in the zip; a saved run has at most {most:,}.")
        if not 0 <= member.header_offset < self._size:
            raise CheckpointError(f"{path} begins {member.header_offset:,} bytes into the zip, which has {self._size:,}.")
        try:
            with self._archive.open(member) as opened:
                content = opened.read(member.file_size + 1)
        except self.FAULTS as fault:
            raise CheckpointError(
                f"{path} is damaged in the zip: {_told(fault)}. Save the run again, or download it again."
            ) from None
        if len(content) != member.file_size:
            raise CheckpointError(
                f"{path} has {len(content):,} bytes in the zip, not {member.file_size:,} as its directory says."
            )
        return content


def _told(fault: Exception) -> str:
    """What zipfile says, which may quote a name of 65,535 bytes."""
    return str(fault)[:100].rstrip(". ") or type(fault).__name__
