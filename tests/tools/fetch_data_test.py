"""tools/fetch_data must turn the publisher's files into the right CSV, or say why not and leave
nothing behind. The publisher is a server on this machine; its files are small ones of the same
form as the real ones (text, .xls, .xlsx of five sheets), made here byte by byte."""
import contextlib
import functools
import hashlib
import http.server
import importlib.util
import io
import os
import struct
import sys
import tempfile
import threading
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/fetch_data"
sys.path.insert(0, str(TOOL.parent))
sys.dont_write_bytecode = True
LOADER = SourceFileLoader("fetch_data", str(TOOL))
fetch_data = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch_data", LOADER))
LOADER.exec_module(fetch_data)

AIRFOIL = [[800.0, 0.0, 0.3048, 71.3, 0.00266337, 126.201], [1e4, 22.2, 0.0254, 31.7, 4e-05, 103.5]]
# Numbers that need every kind of cell: whole, negative, hundredths, few bits, and all bits.
CONCRETE = [[540.0, 0.0, -3.0, 162.5, 0.57, 1040.0, 676.0, 28.0, 61.887365759999994],
            [332.5, 142.5, 0.0, 228.0, -0.01, 932.0, 594.25, 270.0, 40.269535256000005]]
POWERPLANT = [[8.34, 40.77, 1010.84, 90.01, 480.48], [14.96, 41.76, 1024.07, 73.17, 463.26]]
EXPECTED = {
    "airfoil": "frequency,angle_of_attack,chord_length,free_stream_velocity,displacement_thickness,"
               "sound_pressure\n800,0,0.3048,71.3,0.00266337,126.201\n"
               "10000,22.2,0.0254,31.7,4e-05,103.5\n",
    "concrete": "cement,blast_furnace_slag,fly_ash,water,superplasticizer,coarse_aggregate,"
                "fine_aggregate,age,strength\n540,0,-3,162.5,0.57,1040,676,28,61.887365759999994\n"
                "332.5,142.5,0,228,-0.01,932,594.25,270,40.269535256000005\n",
    "powerplant": "AT,V,AP,RH,PE\n8.34,40.77,1010.84,90.01,480.48\n"
                  "14.96,41.76,1024.07,73.17,463.26\n",
}


def text_file(rows):
    return "".join("\t".join(f"{x:g}" if x > 1 else repr(x) for x in row) + "\r\n"
                   for row in rows).encode()


def packed(value):
    """The RK form of a number; the last of the three must be exact."""
    if value == int(value):
        return (int(value) << 2 & 0xFFFFFFFF) | 2
    if round(100 * value) / 100 == value:
        return (round(100 * value) << 2 & 0xFFFFFFFF) | 3
    bits, = struct.unpack("<Q", struct.pack("<d", value))
    assert bits & 0x3FFFFFFFF == 0
    return bits >> 32


def record(kind, body):
    return struct.pack("<HH", kind, len(body)) + body


def xls_stream(rows):
    """A second sheet would be a trap; a heading of text, a row in single cells, one side by side."""
    begin = struct.pack("<HH", 0x0600, 0x0005) + bytes(12)
    sheet = struct.pack("<HH", 0x0600, 0x0010) + bytes(12)
    stream = record(0x0809, begin) + record(0x000A, b"")
    stream += record(0x0809, sheet)
    stream += b"".join(record(0x00FD, struct.pack("<HHHI", 0, c, 0, c)) for c in range(9))
    for number, row in enumerate(rows, 1):
        if number % 2 == 1:
            for column, value in enumerate(row[:-1]):
                stream += record(0x027E, struct.pack("<HHHI", number, column, 0, packed(value)))
            stream += record(0x0203, struct.pack("<HHHd", number, 8, 0, row[-1]))
        else:
            cells = b"".join(struct.pack("<HI", 0, packed(value)) for value in row[:-1])
            stream += record(0x00BD, struct.pack("<HH", number, 0) + cells + struct.pack("<H", 7))
            stream += record(0x0006, struct.pack("<HHHd", number, 8, 0, row[-1]) + bytes(8))
    stream += record(0x000A, b"")
    stream += record(0x0809, sheet) + record(0x0203, struct.pack("<HHHd", 1, 0, 0, 1.0))
    return stream + record(0x000A, b"")


def xls_file(rows):
    """A compound file: sector 0 the table of successors, 1 the directory, then the workbook, whose
    sectors stand in reverse order, so that a reader that does not follow the chain fails."""
    stream = xls_stream(rows).ljust(4096, b"\0")
    blocks = [stream[i:i + 512].ljust(512, b"\0") for i in range(0, len(stream), 512)]
    last = 1 + len(blocks)
    following = [0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFE] + list(range(2, last))
    following += [0xFFFFFFFF] * (128 - len(following))
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16)
    header += struct.pack("<HHHHH6xIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, 0xFFFFFFFE,
                          0, 0xFFFFFFFE, 0, 0)
    header += struct.pack("<108I", *[0xFFFFFFFF] * 108)

    def entry(name, kind, first, size):
        text = (name + "\0").encode("utf-16-le")
        return (text.ljust(64, b"\0") + struct.pack("<HBB", len(text), kind, 1)).ljust(116, b"\0") \
            + struct.pack("<IQ", first, size)

    directory = entry("Root Entry", 5, 0xFFFFFFFE, 0) + entry("Workbook", 2, last, len(stream))
    return header + struct.pack("<128I", *following) + directory.ljust(512, b"\0") \
        + b"".join(reversed(blocks))


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def xlsx_file(sheets):
    """Parts named against the order of the sheets, so that only the relations tell which is which."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    count = len(sheets)
    files = {
        "xl/workbook.xml":
            f'<workbook {main} xmlns:r="{office}"><sheets>' + "".join(
                f'<sheet name="Sheet{i}" sheetId="{i}" r:id="rId{i}"/>'
                for i in range(1, count + 1)) + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels":
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            + "".join(f'<Relationship Id="rId{i}" Target="worksheets/sheet{count + 1 - i}.xml"/>'
                      for i in range(1, count + 1)) + "</Relationships>",
    }
    for number, rows in enumerate(sheets, 1):
        body = '<row r="1">' + "".join(f'<c r="{c}1" t="s"><v>{i}</v></c>'
                                       for i, c in enumerate("ABCDE")) + "</row>"
        for r, row in enumerate(rows, 2):
            body += f'<row r="{r}">' + "".join(
                f'<c r="{c}{r}"><v>{x:.17g}</v></c>' for c, x in zip("ABCDE", row)) + "</row>"
        files[f"xl/worksheets/sheet{count + 1 - number}.xml"] = \
            f"<worksheet {main}><sheetData>{body}</sheetData></worksheet>"
    return zipped(files)


def good_archives():
    other = [[x + 1.0 for x in row] for row in POWERPLANT]
    return {
        "291/airfoil+self+noise.zip": zipped({"airfoil_self_noise.dat": text_file(AIRFOIL)}),
        "165/concrete+compressive+strength.zip":
            zipped({"Concrete_Readme.txt": "", "Concrete_Data.xls": xls_file(CONCRETE)}),
        "294/combined+cycle+power+plant.zip":
            zipped({"CCPP/Folds5x2_pp.xlsx": xlsx_file([other] * 4 + [POWERPLANT])}),
    }


class Publisher(http.server.BaseHTTPRequestHandler):
    def __init__(self, files, cut, *arguments):
        self.files, self.cut = files, cut
        super().__init__(*arguments)

    def do_GET(self):
        content = self.files.get(self.path.lstrip("/"))
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[:-100] if self.cut else content)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def publisher(files, cut=False):
    handler = functools.partial(Publisher, files, cut)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def run(site, arguments):
    """Exit code and what was said, with the small files taken for the right ones."""
    fetch_data.SITE = site
    for name, entry in fetch_data.DATA_SETS.items():
        entry["rows"] = 2
        entry["sha256"] = hashlib.sha256(EXPECTED[name].encode()).hexdigest()
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = fetch_data.main([str(a) for a in arguments])
        except SystemExit as error:
            code = error.code
    return code, said.getvalue()


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def fails(site, arguments, code, words, folder):
    got, said = run(site, arguments)
    check(got == code and words in said, f"exit {got} instead of {code}: {said}")
    check(said.startswith("tools/fetch_data: ") and said.count("\n") == 1, f"not a sentence: {said}")
    left = os.listdir(folder) if folder.is_dir() else []
    check(not left, f"left behind: {left}")


def all_three_are_converted(folder):
    with publisher(good_archives()) as site:
        code, said = run(site, [folder / "new"])
        check(code == 0, said)
        for name, text in EXPECTED.items():
            check((folder / f"new/{name}.csv").read_text() == text, f"{name}: other numbers")
        check(sorted(os.listdir(folder / "new")) == [f"{n}.csv" for n in sorted(EXPECTED)], "more")
    code, said = run("http://127.0.0.1:9/", [folder / "new"])  # nobody listens there
    check(code == 0 and said.count("is there already") == 3, f"downloaded again: {said}")


def archives_by_hand_need_no_network(folder):
    for name, content in good_archives().items():
        (folder / name.split("/")[1]).write_bytes(content)
    code, said = run("http://127.0.0.1:9/", [folder / "out", "concrete", "--archives", folder])
    check(code == 0 and os.listdir(folder / "out") == ["concrete.csv"], said)
    fails("", [folder / "out2", "airfoil", "--archives", folder / "none"], 66, "No such file",
          folder / "out2")


def a_heading_in_the_text_file_is_left_out(folder):
    content = b"Frequency\tAngle\n" + text_file(AIRFOIL)
    with publisher({"291/airfoil+self+noise.zip": zipped({"airfoil_self_noise.dat": content})}) as s:
        code, said = run(s, [folder, "airfoil"])
    check(code == 0 and (folder / "airfoil.csv").read_text() == EXPECTED["airfoil"], said)


def no_network_is_one_sentence(folder):
    fails("http://127.0.0.1:9/", [folder], 66, "cannot be reached", folder)
    with publisher({}) as site:
        fails(site, [folder], 66, "404", folder)


def half_a_download_is_not_kept(folder):
    with publisher(good_archives(), cut=True) as site:
        fails(site, [folder, "airfoil"], 65, "were announced", folder)


def damaged_files_are_refused(folder):
    airfoil, concrete = "291/airfoil+self+noise.zip", "165/concrete+compressive+strength.zip"
    book = xls_file(CONCRETE)
    looped = bytearray(book)
    struct.pack_into("<I", looped, 512 + 4 * 3, 9)  # the chain comes back to its beginning
    cases = [
        ("airfoil", airfoil, b"<html>Not here</html>", "not a zip file"),
        ("airfoil", airfoil, zipped({"other.dat": ""}), "there is no airfoil_self_noise.dat"),
        ("airfoil", airfoil, zipped({"airfoil_self_noise.dat": text_file(AIRFOIL[:1])}),
         "1 rows of numbers, 2 were expected"),
        ("airfoil", airfoil, zipped({"airfoil_self_noise.dat": b"1 2 3 4 5 6\n1 2 3\n"}),
         "row 2 should have 6 numbers"),
        ("airfoil", airfoil, zipped({"airfoil_self_noise.dat": b"1 2 3 4 5 6\n1 2 3 4 5 nan\n"}),
         "row 2 should have 6 numbers"),
        ("concrete", concrete, zipped({"Concrete_Data.xls": b"strength\n"}), "not a compound file"),
        ("concrete", concrete, zipped({"Concrete_Data.xls": book[:-512]}), "ends too early"),
        ("concrete", concrete, zipped({"Concrete_Data.xls": book[:100]}), "not a whole .xls"),
        ("concrete", concrete, zipped({"Concrete_Data.xls": bytes(looped)}), "form a chain"),
        ("powerplant", "294/combined+cycle+power+plant.zip",
         zipped({"Folds5x2_pp.xlsx": xlsx_file([POWERPLANT])}), "has 1 sheets, 5 are needed"),
    ]
    for name, path, content, words in cases:
        with publisher({path: content}) as site:
            fails(site, [folder, name], 65, words, folder)


def other_numbers_are_taken_only_on_request(folder):
    changed = [AIRFOIL[0], [*AIRFOIL[1][:-1], 103.25]]
    files = {"291/airfoil+self+noise.zip": zipped({"airfoil_self_noise.dat": text_file(changed)})}
    with publisher(files) as site:
        fails(site, [folder, "airfoil"], 65, "--unchecked", folder)
        code, said = run(site, [folder, "airfoil", "--unchecked"])
    check(code == 0 and (folder / "airfoil.csv").read_text().endswith(",103.25\n"), said)


def files_that_are_not_ours_stay(folder):
    (folder / "airfoil.csv").write_text("mine")
    with publisher(good_archives()) as site:
        code, said = run(site, [folder, "airfoil"])
        check(code == 73 and (folder / "airfoil.csv").read_text() == "mine", said)
        fails(site, [folder / "airfoil.csv/below", "concrete"], 73, "cannot be written",
              folder / "none")


def a_misspelt_name_is_a_usage_error(folder):
    code, said = run("", [folder, "airfoyl"])
    check(code == 2 and "airfoil, concrete, powerplant" in said, said)


CASES = [all_three_are_converted, archives_by_hand_need_no_network,
         a_heading_in_the_text_file_is_left_out, no_network_is_one_sentence,
         half_a_download_is_not_kept, damaged_files_are_refused,
         other_numbers_are_taken_only_on_request, files_that_are_not_ours_stay,
         a_misspelt_name_is_a_usage_error]


def main():
    failed = 0
    os.environ["no_proxy"] = "127.0.0.1"
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(Path(folder))
            except AssertionError as error:
                failed += 1
                print(f"{case.__name__}: {error}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
