//! Units of measure by UN/ECE Recommendation 20: BT-130.

/// One, where a unit is not known: a line without a unit is counted in pieces.
pub(crate) const ONE: &str = "C62";

/// Codes and how people write them, small letters without a full stop, in the languages of
/// documents.
const WRITTEN: [(&str, &[&str]); 22] = [
    (
        "H87",
        &[
            "kos", "kom", "pc", "pcs", "piece", "pieces", "stk", "stück", "stueck", "st", "szt",
            "ks", "pz", "pieza", "piezas", "unidade", "unidades", "un", "ud", "uds", "stuks",
            "kpl", "tk", "бр", "pièce", "pièces", "komad", "komadi",
        ],
    ),
    (
        "HUR",
        &[
            "h", "ura", "ure", "ur", "sat", "sati", "hour", "hours", "hr", "std", "stunde",
            "stunden", "heure", "heures", "ora", "ore", "hora", "horas", "uur", "godz", "hod",
        ],
    ),
    ("MIN", &["min", "minuta", "minute", "minutes", "minuten", "minut"]),
    (
        "DAY",
        &[
            "dan", "dni", "dnevi", "dana", "day", "days", "tag", "tage", "jour", "jours", "giorno",
            "giorni", "día", "días", "dia", "dias", "dag", "dagen", "dzień",
        ],
    ),
    ("WEE", &["teden", "tedni", "tjedan", "week", "weeks", "woche", "wochen", "semaine"]),
    (
        "MON",
        &[
            "mesec", "meseci", "mes", "mjesec", "mjeseci", "month", "months", "monat", "monate",
            "mois", "mese", "mesi", "meses", "mês", "maand", "miesiąc",
        ],
    ),
    (
        "ANN",
        &[
            "leto", "leta", "let", "godina", "year", "years", "jahr", "jahre", "an", "année",
            "anno", "anni", "año", "ano", "jaar", "rok",
        ],
    ),
    ("KGM", &["kg", "kilogram", "kilograms", "kilogramm", "kilogramme"]),
    ("GRM", &["g", "gram", "grams", "gramm", "gramme"]),
    ("TNE", &["t", "tona", "ton", "tonne", "tonnes", "tonnen"]),
    ("MTR", &["m", "meter", "metre", "metri", "metr", "mètre", "metro"]),
    ("CMT", &["cm", "centimeter", "centimetre"]),
    ("MMT", &["mm", "milimeter", "millimeter", "millimetre"]),
    ("KMT", &["km", "kilometer", "kilometre", "kilometrov"]),
    ("MTK", &["m2", "m²", "qm", "kvm"]),
    ("MTQ", &["m3", "m³", "cbm"]),
    ("LTR", &["l", "liter", "litre", "litrov", "litri", "lt"]),
    ("MLT", &["ml", "mililiter", "milliliter"]),
    ("KWH", &["kwh"]),
    ("PR", &["par", "pari", "pair", "pairs", "paar"]),
    ("XPK", &["paket", "paketi", "pak", "package", "packung", "pack", "paquete"]),
    (ONE, &["", "one", "x"]),
];

/// The code of a unit as people write it; `None` when it is not known.
#[must_use]
pub fn unit_code(unit: &str) -> Option<&'static str> {
    let folded = unit.trim().trim_end_matches('.').to_lowercase();
    let named = |names: &&[&str]| names.contains(&folded.as_str());
    WRITTEN.iter().find(|(_, names)| named(names)).map(|(code, _)| *code)
}

#[cfg(test)]
mod tests {
    use en16931::codes::guard;

    use super::*;

    #[test]
    fn every_code_is_of_the_list() {
        for (code, _) in WRITTEN {
            assert!(guard::unit(code).is_ok(), "{code}");
        }
    }

    #[test]
    fn people_write_units_as_they_like() {
        for (unit, code) in [
            ("kos", Some("H87")),
            ("Stk.", Some("H87")),
            (" h ", Some("HUR")),
            ("m²", Some("MTK")),
            ("", Some("C62")),
            ("šop", None),
        ] {
            assert_eq!(unit_code(unit), code, "{unit}");
        }
    }
}
