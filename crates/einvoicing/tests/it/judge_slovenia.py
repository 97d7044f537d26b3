"""What e-SLOG 2.0 and the envelope of UJP want beside the schema, in Slovenia.

No Schematron of e-SLOG and no schema of the envelope is public. These are the checks of EN 16931 that the
terms of e-SLOG allow, by the numbers of EN 16931 (to the cent, BR-CO-17 too), and what banks check of an
envelope. Each check yields (level, rule, text).
"""
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

NAMESPACE = "{urn:eslog:2.00}"
TYPES = "380 381 383 384 386 325 326 389 82 83 80 81".split()
FREE = {"AE": "AE", "K": "IC", "G": "G", "E": "E", "O": "O"}
ZERO = Decimal(0)


def nodes(node, path):
    return node.findall("/".join(NAMESPACE + step for step in path.split("/")))


def text(node, path):
    for one in nodes(node, path):
        return (one.text or "").strip()
    return None


def number(written):
    try:
        return Decimal(written or "0")
    except InvalidOperation:
        return ZERO


def cents(amount):
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def amounts(segments):
    return {text(one, "C_C516/D_5025"): number(text(one, "C_C516/D_5004")) for one in segments}


def tax_of(node, path):
    rate = number(text(node, path + "/C_C243/D_5278"))
    return text(node, path + "/D_5305"), rate


def is_iban(written):
    plain = written.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{8,30}", plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def eslog(root, of_ujp=False):
    message = root.find(NAMESPACE + "M_INVOIC")
    if message is None:
        yield "fatal", "ROOT", "there is no M_INVOIC"
        return
    yield from header(message, of_ujp)
    yield from parties(message, of_ujp)
    bases = {}
    yield from lines(message, bases)
    yield from sums(message, bases)


def header(message, of_ujp):
    kind = text(message, "S_BGM/C_C002/D_1001")
    if kind not in TYPES:
        yield "fatal", "ES-TYPE", f"{kind} is no type"
    if not text(message, "S_BGM/C_C106/D_1004"):
        yield "fatal", "BR-02", "it has no number"
    days = {text(one, "C_C507/D_2005"): text(one, "C_C507/D_2380") for one in nodes(message, "S_DTM")}
    if "137" not in days:
        yield "fatal", "BR-03", "it has no date of issue"
    for day in days.values():
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", day or ""):
            yield "fatal", "ES-DATE", f"{day} is no day"
    stated = [one for one in nodes(message, "S_FTX") if text(one, "D_4451") == "DOC"]
    if not any(text(one, "C_C108/D_4440") == "urn:cen.eu:en16931:2017" for one in stated):
        yield "fatal", "BR-01", "it does not name EN 16931"
    if not text(message, "G_SG7/S_CUX/C_C504/D_6345"):
        yield "fatal", "BR-05", "it has no currency"
    kinds = {text(one, "S_RFF/C_C506/D_1153") for one in nodes(message, "G_SG1")}
    if of_ujp and not kinds & {"ON", "CT", "AEP", "IV", "DQ"}:
        yield "fatal", "UJP-03", "it refers to no document"


def parties(message, of_ujp):
    known = {text(one, "S_NAD/D_3035"): one for one in nodes(message, "G_SG2")}
    for role, name_rule, country_rule in [("SE", "BR-06", "BR-09"), ("BY", "BR-07", "BR-11")]:
        party = known.get(role)
        if party is None or not text(party, "S_NAD/C_C080/D_3036"):
            yield "fatal", name_rule, f"{role} has no name"
            continue
        if not text(party, "S_NAD/D_3207"):
            yield "fatal", country_rule, f"{role} has no country"
        numbers = {
            text(one, "S_RFF/C_C506/D_1153"): text(one, "S_RFF/C_C506/D_1154")
            for one in nodes(party, "G_SG3")
        }
        if role == "SE" and not {"VA", "AHP", "0199"} & set(numbers):
            yield "fatal", "BR-CO-26", "the seller has no number"
        if numbers.get("VA") and not re.match(r"[A-Z]{2}", numbers["VA"]):
            yield "fatal", "BR-CO-09", f"{numbers['VA']} names no country"
        if of_ujp and role == "BY":
            if "0199" not in numbers:
                yield "fatal", "UJP-01", "the buyer has no registration number"
            if "BB" not in [text(one, "D_3035") for one in nodes(party, "S_FII")]:
                yield "fatal", "UJP-02", "the buyer has no account"
        for account in nodes(party, "S_FII"):
            iban = text(account, "C_C078/D_3194")
            if iban and not is_iban(iban):
                yield "fatal", "ES-IBAN", f"{iban} is no IBAN"


def lines(message, bases):
    all_lines = nodes(message, "G_SG26")
    if not all_lines:
        yield "fatal", "BR-16", "it has no line"
    known = set()
    for line in all_lines:
        name = text(line, "S_LIN/D_1082")
        if not name or name in known:
            yield "fatal", "BR-21", f"the line {name} has no id of its own"
        known.add(name)
        named = [one for one in nodes(line, "S_IMD") if text(one, "D_7077") == "F"]
        net = amounts(nodes(line, "G_SG27/S_MOA"))
        prices = [
            one for one in nodes(line, "G_SG29/S_PRI/C_C509") if text(one, "D_5125") == "AAA"
        ]
        category, rate = tax_of(line, "G_SG34/S_TAX")
        quantity = text(line, "S_QTY/C_C186/D_6060")
        for rule, is_there in [
            ("BR-25", any(text(one, "C_C273/D_7008") for one in named)),
            ("BR-22", quantity is not None),
            ("BR-23", text(line, "S_QTY/C_C186/D_6411")),
            ("BR-24", "203" in net),
            ("BR-26", prices),
            ("BR-CO-04", category),
        ]:
            if not is_there:
                yield "fatal", rule, f"the line {name} lacks what {rule} wants"
        amount = net.get("203", ZERO)
        bases[category, rate] = bases.get((category, rate), ZERO) + amount
        if quantity is not None and prices:
            price = number(text(prices[-1], "D_5118")) / number(text(prices[-1], "D_5284") or "1")
            expected = cents(number(quantity) * price - taken_off(line, "G_SG39", "G_SG42"))
            if abs(expected - amount) > Decimal("0.02"):
                yield "warning", "ES-LINE", f"the line {name} is {amount}, and {expected} by price"


def taken_off(node, group, sums_of):
    """Allowances of `node`, less its charges."""
    total = ZERO
    for one in nodes(node, group):
        moneys = [
            number(text(money, "C_C516/D_5004"))
            for money in nodes(one, sums_of + "/S_MOA")
            if text(money, "C_C516/D_5025") in ("204", "23")
        ]
        sign = 1 if text(one, "S_ALC/D_5463") == "A" else -1
        total += sign * sum(moneys, ZERO)
    return total


def sums(message, bases):
    of_lines = sum(bases.values(), ZERO)
    for one in nodes(message, "G_SG16"):
        group = tax_of(one, "G_SG22/S_TAX")
        kept = {text(money, "C_C516/D_5025"): money for money in nodes(one, "G_SG20/S_MOA")}
        amount = sum((number(text(kept[key], "C_C516/D_5004")) for key in ("204", "23") if key in kept), ZERO)
        bases[group] = bases.get(group, ZERO) + (-amount if text(one, "S_ALC/D_5463") == "A" else amount)
    total = amounts(nodes(message, "G_SG50/S_MOA"))
    for key, rule in [("79", "BR-12"), ("389", "BR-13"), ("388", "BR-14"), ("9", "BR-15")]:
        if key not in total:
            yield "fatal", rule, f"the sum {key} is missing"
    vat = ZERO
    reasons = [one for one in nodes(message, "S_FTX") if text(one, "D_4451") == "AGM"]
    has_reason = any(
        (text(one, "C_C107/D_4441") or "").startswith("VATEX") or text(one, "C_C108/D_4440")
        for one in reasons
    )
    groups = nodes(message, "G_SG52")
    for one in groups:
        category, rate = tax_of(one, "S_TAX")
        money = amounts(nodes(one, "S_MOA"))
        base, tax = money.get("125", ZERO), money.get("124", ZERO)
        vat += tax
        if tax != cents(base * rate / 100):
            yield "fatal", "BR-CO-17", f"{rate} % of {base} is not {tax}"
        if (category, rate) not in bases or cents(bases[category, rate]) != base:
            yield "fatal", f"BR-{FREE.get(category, category)}-08", f"{base} is not what the lines come to"
        if category in FREE and not has_reason:
            yield "fatal", f"BR-{FREE[category]}-10", "there is no reason of exemption"
    if not groups:
        yield "fatal", "BR-CO-18", "there is no breakdown of VAT"
    of = lambda key: total.get(key, ZERO)
    for key, rule, expected in [
        ("79", "BR-CO-10", cents(of_lines)),
        ("389", "BR-CO-13", of("79") - of("260") + of("259")),
        ("176", "BR-CO-14", vat),
        ("388", "BR-CO-15", of("389") + total.get("176", vat)),
        ("9", "BR-CO-16", of("388") - of("113") + of("366")),
    ]:
        if key in total and total[key] != expected:
            yield "fatal", rule, f"the sum {key} is {total[key]}, and {expected} by its parts"


def envelope(root):
    """The envelope of a bank, alone or in a package."""
    for one in root.iter():
        if isinstance(one.tag, str):
            one.tag = one.tag.rpartition("}")[2]
    found = root.find("envelope") if root.tag == "package" else root
    if found is None or found.tag != "envelope":
        yield "fatal", "ENV-ROOT", "there is no envelope"
        return
    parts = ["sender", "receiver", "doc_data", "payment_data", "attachments"]
    order = [one.tag for one in found if one.tag in parts]
    if order != [part for part in parts if part in order] or order[:3] != parts[:3]:
        yield "fatal", "ENV-ORDER", f"its parts are {order}"
    for role in ("sender", "receiver"):
        if found.find(role) is not None:
            yield from side(found.find(role), role)
    yield from data(found)


def side(party, role):
    for field, most in [("name", 70), ("country", 2), (role + "_identifier", 35)]:
        written = (party.findtext(field) or "").strip()
        if not written:
            yield "fatal", "ENV-REQ", f"{role} has no {field}"
        elif len(written) > most:
            yield "fatal", "ENV-LEN", f"{field} has more than {most} characters"
    if len(party.findall("address")) not in (1, 2):
        yield "fatal", "ENV-ADDR", f"{role} has not one or two lines of address"
    bank = (party.findtext(f"{role}_eddress/{role}_agent") or "").strip()
    if not re.fullmatch(r"[A-Z]{6}[A-Z2-9][A-NP-Z0-9][A-Z0-9]{3}", bank):
        yield "fatal", "ENV-BIC", f"{bank} is no BIC of 11 characters"
    account = (party.findtext(f"{role}_eddress/{role}_mailbox") or "").replace(" ", "")
    if not is_iban(account):
        yield "fatal", "ENV-IBAN", f"{account} is no IBAN"
    elif account.startswith("SI") and int(account[4:]) % 97 != 1:
        yield "fatal", "ENV-IBAN-SI", f"a digit of {account} is wrong"


def data(found):
    stated = found.find("doc_data")
    if stated is not None:
        if not re.fullmatch(r"\d{4}", stated.findtext("doc_type") or ""):
            yield "fatal", "ENV-TYPE", "the type has not four digits"
        for field in ("doc_type_ver", "external_doc_id", "timestamp"):
            if not stated.findtext(field):
                yield "fatal", "ENV-REQ", f"{field} is missing"
        if not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", stated.findtext("timestamp") or ""):
            yield "fatal", "ENV-TIME", "the timestamp is no instant"
    attached = found.find("attachments")
    if attached is not None:
        files = attached.findall("attachment")
        if attached.findtext("count") != str(len(files)):
            yield "fatal", "ENV-COUNT", f"there are {len(files)} attachments"
        if "xml" not in [(one.findtext("type") or "").lower() for one in files]:
            yield "fatal", "ENV-XML", "the document is not attached"
    payment = found.find("payment_data")
    if payment is not None:
        if not re.fullmatch(r"\d+(\.\d{1,2})?", payment.findtext("amount") or ""):
            yield "fatal", "ENV-AMOUNT", "the amount is no decimal of two places"
        reference = payment.findtext("remittance_information/creditor_structured_reference")
        yield from reference_of((reference or "").replace(" ", ""))
        if not re.fullmatch(r"[A-Z]{4}", payment.findtext("purpose") or ""):
            yield "fatal", "ENV-PURPOSE", "the purpose is no code of four letters"


# Of a model of a Slovenian reference: its parts, `k` behind those that end in a check digit, and how many there are
# at least.
LIKE_11 = "11 18 19 28 38 40 41 48 49 51 58".split()
MODELS = {
    "00": "p-p-p 1", "01": "(p-p-p)k 1", "02": "p-(p)k-(p)k 3", "03": "(p)k-(p)k-(p)k 3",
    "04": "(p)k-p-(p)k 3", "05": "(p)k-p-p 1", "06": "p-(p-p)k 2", "07": "p-(p)k-p 2",
    "08": "(p-p)k-(p)k 3", "09": "(p-p)k-p 1", "10": "(p)k-(p-p)k 2", "12": "(p)k 1",
    "21": "(p)k-p 1", "31": "(p)k-p 1", "55": "(p)k-p-p 1",
    **{model: "(p)k-(p)k-p 2" for model in LIKE_11},
}


def check_digit(digits):
    weighed = sum(int(digit) * weight for weight, digit in enumerate(reversed(digits), 2))
    digit = 11 - weighed % 11
    return 0 if digit > 9 else digit


def reference_of(reference):
    """A reference of a creditor: SI with a model, or RF of ISO 11649."""
    if not reference:
        return
    if reference.startswith("RF"):
        signs = reference[4:] + reference[:4]
        is_formed = re.fullmatch(r"RF\d{2}[A-Z0-9]{1,21}", reference)
        if not is_formed or int("".join(str(int(sign, 36)) for sign in signs)) % 97 != 1:
            yield "fatal", "REF-RF", f"{reference} fails its check digits"
        return
    if not re.match(r"SI\d{2}", reference):
        yield "fatal", "REF", f"{reference} is neither SI nor RF"
        return
    model, rest = reference[2:4], reference[4:]
    if model == "99":
        if rest:
            yield "fatal", "REF-99", "SI99 has nothing behind it"
        return
    if model not in MODELS:
        yield "fatal", "REF-MODEL", f"there is no model {model}"
        return
    shape, least = MODELS[model].split()
    parts = rest.split("-")
    is_formed = all(re.fullmatch(r"\d{1,20}", part) for part in parts)
    is_short = len(rest) <= 22 and len(rest.replace("-", "")) <= 20
    if not is_formed or not is_short or not int(least) <= len(parts) <= shape.count("p"):
        yield "fatal", "REF-FORM", f"{reference} has not the parts of model {model}"
        return
    if model == "12" and len(rest) > 13:
        yield "fatal", "REF-12", f"{reference} has more than 13 digits"
        return
    place = 0
    for group in re.finditer(r"\(([p-]+)\)k|p", shape):
        count = (group[1] or "p").count("p")
        digits = "".join(parts[place:place + count])
        if group[1] and len(digits) > 1 and check_digit(digits[:-1]) != int(digits[-1]):
            yield "fatal", "REF-K", f"{digits} fails its check digit"
        place += count
