"""What ZUGFeRD 2.5.2 wants of the PDF around `factur-x.xml`: where the file is, and what the metadata say.

Each check yields (level, rule, text); the XML is judged by the rules of its profile.
"""
import pikepdf
from lxml import etree

NAMES = ["factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml", "ZUGFeRD-invoice.xml"]
PDF_A = "{http://www.aiim.org/pdfa/ns/id/}"
SCHEMA = "{http://www.aiim.org/pdfa/ns/schema#}namespaceURI"
OWN = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
LEVELS = ["MINIMUM", "BASIC WL", "BASIC", "EN 16931", "EXTENDED", "XRECHNUNG"]


def opened(file):
    """The PDF, and the name of the invoice in it."""
    pdf = pikepdf.open(file)
    return pdf, next((name for name in NAMES if name in pdf.attachments), None)


def xml(pdf, name):
    return pdf.attachments[name].get_file().read_bytes()


def container(pdf, name):
    if name is None:
        yield "fatal", "FXP-ATT", "no invoice is attached"
        return
    entry = pdf.attachments[name].obj
    relation = str(entry.get("/AFRelationship", ""))
    if relation not in ("/Alternative", "/Data", "/Source"):
        yield "fatal", "FXP-AFREL", f"the relation of the file is {relation}"
    if entry.objgen not in [one.objgen for one in pdf.Root.get("/AF", [])]:
        yield "fatal", "FXP-AF", "the catalogue does not list the file"
    stream = entry["/EF"].get("/F") or entry["/EF"].get("/UF")
    if str(stream.get("/Subtype", "")) not in ("/text/xml", "/application/xml"):
        yield "fatal", "FXP-MIME", "the file is not called XML"
    if "/ModDate" not in stream.get("/Params", {}):
        yield "fatal", "FXP-MODDATE", "it is not said when the file was changed"
    if "/Metadata" not in pdf.Root:
        yield "fatal", "FXP-XMP", "there are no metadata"
    else:
        yield from metadata(etree.fromstring(pdf.Root.Metadata.read_bytes()), name)
    if "/OutputIntents" not in pdf.Root:
        yield "warning", "FXP-OI", "colours have no profile"
    if pdf.is_encrypted:
        yield "fatal", "FXP-ENC", "it is encrypted"


def metadata(root, name):
    said = {}
    for one in root.iter(etree.Element):
        said[one.tag] = (one.text or "").strip()
        said.update(one.attrib)
    if said.get(PDF_A + "part") != "3":
        yield "fatal", "FXP-PDFA", "it is not of part 3 of PDF/A"
    if said.get(PDF_A + "conformance") not in ("A", "B", "U"):
        yield "fatal", "FXP-PDFA", "it conforms to no level of PDF/A"
    for key, allowed in [
        ("DocumentType", ["INVOICE"]),
        ("DocumentFileName", [name]),
        ("Version", None),
        ("ConformanceLevel", LEVELS),
    ]:
        value = said.get("{%s}%s" % (OWN, key))
        if not value or (allowed and value not in allowed):
            yield "fatal", "FXP-FX", f"{key} is {value}"
    if not any(OWN in (one.text or "") for one in root.iter(SCHEMA)):
        yield "fatal", "FXP-EXT", "the schema of its properties is not described"
