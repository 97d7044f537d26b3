"""The official judge: XSD by lxml, Schematron by Saxon, PDF by pikepdf (of PyPI: saxonche, lxml, pikepdf).

Reads lines of "format<TAB>file"; the folder of the rules is the argument. Writes one line for each
thing found, "file<TAB>level<TAB>rule<TAB>text", and "file<TAB>done" after each file.
"""
import re
import sys
import tempfile
from pathlib import Path

import judge_pdf
import judge_slovenia
import saxonche
from lxml import etree

HOME = Path(sys.argv[1])
SVRL = "{http://purl.oclc.org/dsdl/svrl}"
EN, XR = "en16931-1.3.16/EN16931-{}-validation.xslt", "xrechnung-3.0.2_sch-2.5.0/XRechnung-{}-validation.xslt"
RULES = {
    "en16931": [EN],
    "xrechnung": [EN, XR],
    "peppol": ["peppol-bis3-2026.5/CEN-EN16931-UBL.xslt", "peppol-bis3-2026.5/PEPPOL-EN16931-UBL.xslt"],
    "facturx": ["facturx-1.09.2/FACTUR-X_EN16931.xslt"],
}
SCHEMAS = {
    "Invoice": ("UBL", "ubl21/maindoc/UBL-Invoice-2.1.xsd"),
    "CreditNote": ("UBL", "ubl21/maindoc/UBL-CreditNote-2.1.xsd"),
    "CrossIndustryInvoice": ("CII", "cii-d16b/data/standard/CrossIndustryInvoice_100pD16B.xsd"),
}
LEVELS = {"error": "fatal", "warn": "warning", "info": "information"}
processor = saxonche.PySaxonProcessor(license=False)
kept = {}


def parser():
    return etree.XMLParser(no_network=True, resolve_entities=False)


def schema(path):
    if path not in kept:
        kept[path] = etree.XMLSchema(etree.parse(str(HOME / "xsd" / path), parser()))
    return kept[path]


def sheet(path):
    if path not in kept:
        compiler = processor.new_xslt30_processor()
        kept[path] = compiler.compile_stylesheet(stylesheet_file=str(HOME / "schematron" / path))
    return kept[path]


def found(kind, file):
    if kind == "facturx-pdf":
        yield from of_pdf(file)
        return
    document = etree.parse(file, parser())
    if kind == "ujp":
        yield from judge_slovenia.envelope(document.getroot())
    elif kind.startswith("eslog"):
        yield from by_schema(document, "eslog20/eSLOG20_INVOIC_v200.xsd")
        yield from judge_slovenia.eslog(document.getroot(), kind == "eslog-ujp")
    else:
        yield from of_standard(kind, file, document)


def of_pdf(file):
    pdf, name = judge_pdf.opened(file)
    yield from judge_pdf.container(pdf, name)
    if name is not None:
        with tempfile.NamedTemporaryFile(suffix=".xml") as xml:
            xml.write(judge_pdf.xml(pdf, name))
            xml.flush()
            yield from found("facturx", xml.name)


def by_schema(document, path):
    validator = schema(path)
    if not validator.validate(document):
        for error in validator.error_log:
            yield "fatal", "XSD", error.message


def of_standard(kind, file, document):
    syntax, xsd = SCHEMAS[etree.QName(document.getroot()).localname]
    if kind == "facturx":
        xsd = "facturx-1.09.2/en16931/FACTUR-X_EN16931.xsd"
    yield from by_schema(document, xsd)
    for path in RULES[kind]:
        try:
            report = sheet(path.format(syntax)).transform_to_string(source_file=file)
        except Exception as error:  # A rule met what it cannot cast.
            yield "fatal", "XSLT", str(error)
            continue
        for one in etree.fromstring(report.encode()):
            if one.tag not in (SVRL + "failed-assert", SVRL + "successful-report"):
                continue
            text = "".join(one.find(SVRL + "text").itertext())
            level = one.get("flag") or one.get("role") or "fatal"
            rule = one.get("id")
            named = re.match(r"\s*\[([^\]]+)\]", text)
            if named and (not rule or rule.startswith("FX-")):
                rule = named[1]
            yield LEVELS.get(level, level), rule or "?", text


for line in sys.stdin:
    kind, file = line.rstrip("\n").split("\t")
    for level, rule, text in found(kind, file):
        print(file, level, rule, " ".join(text.split()), sep="\t")
    print(file, "done", sep="\t", flush=True)
