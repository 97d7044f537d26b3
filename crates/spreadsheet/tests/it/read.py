"""Reads workbooks with Python's own libraries, and says what is in each cell as JSON.

A cell is [kind, value]: text, number (with the digits of the file), date, instant; null is an empty
one. Where openpyxl is installed, it has to see the same.
"""

import datetime
import json
import re
import sys
import zipfile
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
EPOCH = datetime.datetime(1899, 12, 30)


def formats(archive):
    """The number format of each style of a cell."""
    styles = ElementTree.fromstring(archive.read("xl/styles.xml"))
    own = {one.get("numFmtId"): one.get("formatCode") for one in styles.iter(MAIN + "numFmt")}
    cells = styles.find(MAIN + "cellXfs")
    return [own.get(one.get("numFmtId"), "") for one in cells]


def place(reference):
    column = 0
    for letter in re.match("[A-Z]+", reference).group():
        column = column * 26 + ord(letter) - ord("A") + 1
    return column - 1


def cell(element, styles, shared):
    kind, style = element.get("t"), styles[int(element.get("s", "0"))]
    assert element.find(MAIN + "f") is None, "a formula"
    if kind == "inlineStr":
        return ["text", "".join(part.text or "" for part in element.iter(MAIN + "t"))]
    value = element.find(MAIN + "v")
    if value is None:
        return None
    if kind == "s":
        return ["text", shared[int(value.text)]]
    assert kind in (None, "n"), kind
    if "yyyy" in style:
        moment = EPOCH + datetime.timedelta(days=float(value.text))
        moment = (moment + datetime.timedelta(milliseconds=500)).replace(microsecond=0)
        if "hh" in style:
            return ["instant", moment.isoformat()]
        return ["date", moment.date().isoformat()]
    return ["number", value.text]


def read(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        targets = {one.get("Id"): one.get("Target") for one in links}
        styles = formats(archive)
        shared = []
        if "xl/sharedStrings.xml" in archive.namelist():
            table = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
            shared = ["".join(t.text or "" for t in one.iter(MAIN + "t")) for one in table]
        sheets = {}
        for sheet in book.iter(MAIN + "sheet"):
            part = ElementTree.fromstring(archive.read("xl/" + targets[sheet.get(RELATION)]))
            rows = []
            for row in part.iter(MAIN + "row"):
                cells = {}
                for element in row:
                    cells[place(element.get("r"))] = cell(element, styles, shared)
                rows.append([cells.get(n) for n in range(max(cells, default=-1) + 1)])
            sheets[sheet.get("name")] = rows
        return sheets


def compare(path, sheets):
    """What openpyxl sees in the same workbook."""
    try:
        import openpyxl
    except ImportError:
        return
    with open(path, "rb") as file:
        book = openpyxl.load_workbook(file)
    assert book.sheetnames == list(sheets), book.sheetnames
    for name, rows in sheets.items():
        for own, row in zip(rows, book[name].iter_rows()):
            for one, other in zip(own, row):
                if one is None or one[1] == "":
                    assert other.value in (None, ""), (one, other.value)
                elif one[0] == "text":
                    assert other.data_type == "s" and other.value == one[1], (one, other.value)
                elif one[0] == "number":
                    assert other.data_type == "n" and float(one[1]) == other.value, one
                else:
                    assert other.is_date, (one, other.value)
                    seen = datetime.datetime.fromisoformat(other.value.isoformat())
                    seen += datetime.timedelta(milliseconds=500)
                    assert seen.isoformat().startswith(one[1]), (one, other.value)


sheets = read(sys.argv[1])
compare(sys.argv[1], sheets)
print(json.dumps(sheets))
