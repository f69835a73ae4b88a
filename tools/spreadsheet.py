"""The numbers of one sheet of a spreadsheet file, .xlsx or .xls, by the standard library alone.

Each reader takes the file's bytes and gives the rows that consist of numbers only, in order, as
lists of floats. Anything that is not as expected is a ValueError with a clause that says what.
"""
import io
import re
import struct
import zipfile
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
MOST_BYTES = 1 << 26  # of one part when unpacked

END_OF_CHAIN = 0xFFFFFFFE


def read_member(archive, name):
    """The bytes of a file in a zip archive, if it is not unreasonably large."""
    if archive.getinfo(name).file_size > MOST_BYTES:
        raise ValueError(f"{name} is larger than {MOST_BYTES} bytes")
    return archive.read(name)


def number_rows(cells):
    """Rows out of {(row, column): number or None for text}, headings and empty rows left out."""
    rows = {}
    for (row, column), value in cells.items():
        rows.setdefault(row, {})[column] = value
    return [[row[c] for c in sorted(row)] for _, row in sorted(rows.items())
            if None not in row.values()]


def column_number(letters):
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def read_xlsx(data, sheet):
    """Sheet number `sheet`, from 1, of an Office Open XML workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            book = ElementTree.fromstring(read_member(archive, "xl/workbook.xml"))
            sheets = list(book.iter(MAIN + "sheet"))
            if len(sheets) < sheet:
                raise ValueError(f"the workbook has {len(sheets)} sheets, {sheet} are needed")
            relations = ElementTree.fromstring(read_member(archive, "xl/_rels/workbook.xml.rels"))
            paths = {entry.get("Id"): entry.get("Target") for entry in relations}
            path = paths[sheets[sheet - 1].get(RELATION)]
            path = path.lstrip("/") if path.startswith("/") else "xl/" + path
            page = ElementTree.fromstring(read_member(archive, path))
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError) as error:
        raise ValueError(f"it is not a whole .xlsx workbook ({error})") from None
    cells = {}
    for cell in page.iter(MAIN + "c"):
        place = re.fullmatch(r"([A-Z]+)([0-9]+)", cell.get("r", ""))
        value = cell.findtext(MAIN + "v")
        if place is None or value is None:
            continue
        is_number = cell.get("t", "n") == "n"
        cells[int(place[2]), column_number(place[1])] = float(value) if is_number else None
    return number_rows(cells)


def workbook_stream(data):
    """The stream of records inside the compound file (OLE 2) that an .xls file is."""
    if data[:8] != bytes.fromhex("d0cf11e0a1b11ae1"):
        raise ValueError("it is not a compound file")
    size = 1 << struct.unpack_from("<H", data, 30)[0]

    def sector(number):
        block = data[(number + 1) * size:(number + 2) * size]
        if not block:
            raise ValueError("it ends too early")
        return block

    def numbers(block):
        return struct.unpack(f"<{len(block) // 4}I", block[:len(block) // 4 * 4])

    # Which sectors hold the table of successors: 109 in the header, more in a chain of their own.
    tables = list(struct.unpack_from("<109I", data, 76))
    more = struct.unpack_from("<I", data, 68)[0]
    for _ in range(len(data) // size):
        if more >= END_OF_CHAIN:
            break
        *entries, more = numbers(sector(more))
        tables += entries
    following = [n for table in tables if table < END_OF_CHAIN for n in numbers(sector(table))]

    def chain(first):
        parts = []
        while first < END_OF_CHAIN:
            if first >= len(following) or len(parts) > len(following):
                raise ValueError("its sectors do not form a chain")
            parts.append(sector(first))
            first = following[first]
        return b"".join(parts)

    directory = chain(struct.unpack_from("<I", data, 48)[0])
    for start in range(0, len(directory) - 127, 128):
        name_size, = struct.unpack_from("<H", directory, start + 64)
        name = directory[start:start + max(name_size - 2, 0)].decode("utf-16-le", "replace")
        first, stream_size = struct.unpack_from("<II", directory, start + 116)
        if name in ("Workbook", "Book"):
            if stream_size < struct.unpack_from("<I", data, 56)[0]:
                raise ValueError("its workbook is too small to be a table")
            return chain(first)[:stream_size]
    raise ValueError("there is no workbook in it")


def packed_number(bits):
    """Excel's RK number: 30 bits of an integer or of a double, perhaps in hundredths."""
    if bits & 2:
        value = float((bits >> 2) - ((bits >> 31) << 30))
    else:
        value, = struct.unpack("<d", struct.pack("<Q", (bits & 0xFFFFFFFC) << 32))
    return value / 100.0 if bits & 1 else value


def cells_of_record(kind, body):
    """((row, column), number) of a record with cells; None instead of a number for text."""
    if kind not in (0x0006, 0x00BD, 0x00D6, 0x00FD, 0x0203, 0x0204, 0x027E):
        return
    row, column = struct.unpack_from("<HH", body)
    if kind == 0x00BD:  # MULRK: packed numbers side by side
        for i in range((len(body) - 6) // 6):
            yield (row, column + i), packed_number(struct.unpack_from("<I", body, 6 + 6 * i)[0])
    elif kind == 0x027E:  # RK
        yield (row, column), packed_number(struct.unpack_from("<I", body, 6)[0])
    elif kind == 0x0203 or (kind == 0x0006 and body[12:14] != b"\xff\xff"):  # NUMBER, FORMULA
        yield (row, column), struct.unpack_from("<d", body, 6)[0]
    else:  # LABEL, LABELSST, RSTRING, and a FORMULA that gives text
        yield (row, column), None


def read_xls(data, sheet):
    """Sheet number `sheet`, from 1, of an Excel 5 to 2003 workbook."""
    try:
        stream = workbook_stream(data)
        cells = {}
        page = 0  # 0: what comes before the first sheet
        place = 0
        while place + 4 <= len(stream):
            kind, size = struct.unpack_from("<HH", stream, place)
            body = stream[place + 4:place + 4 + size]
            if kind == 0x0809 and struct.unpack_from("<H", body, 2)[0] == 0x0010:  # BOF of a sheet
                page += 1
            if page == sheet:
                cells.update(cells_of_record(kind, body))
            place += 4 + size
    except struct.error as error:
        raise ValueError(f"it is not a whole .xls workbook ({error})") from None
    if page < sheet:
        raise ValueError(f"the workbook has {page} sheets, {sheet} are needed")
    return number_rows(cells)
