//! The form: `DDV_KIR_KPR`, version 1.3.

use super::{BookKind, BookRow, VatBook};
use crate::xml::{Xml, cut};

/// The namespace of the form.
pub const FORM_NAMESPACE: &str = "http://edavki.durs.si/Documents/Schemas/DDV_KIR_KPR_1.xsd";

/// Characters of a text.
const MOST_CHARS: usize = 250;

impl VatBook {
    /// The form of the taxpayer with these eight digits ([`super::tax_payer`]), for a file of its
    /// own. It says that no share of deduction is calculated.
    #[must_use]
    pub fn form(&self, tax_payer: &str) -> String {
        let mut xml = Xml::new();
        xml.findings("left out", &self.left_out);
        xml.findings("look at", &self.warnings);
        let is = |kind| if self.kind == kind { "true" } else { "false" };
        xml.under("DDV_KIR_KPR", FORM_NAMESPACE, |xml| {
            xml.within("Glava", |xml| {
                xml.text("TaxPayerID", tax_payer);
                xml.date("OBDOBJE_OD", self.period.from());
                xml.date("OBDOBJE_DO", self.period.to());
                xml.text("KIR", is(BookKind::Issued));
                xml.text("KPR", is(BookKind::Received));
                xml.text("ODBDELEZ", "false");
            });
            let name = self.kind.name();
            xml.within(&format!("Lista_{name}"), |xml| {
                for (n, row) in self.rows.iter().enumerate() {
                    xml.within(name, |xml| self.row(xml, n + 1, row));
                }
            });
        });
        xml.finish()
    }

    fn row(&self, xml: &mut Xml, place: usize, row: &BookRow) {
        xml.text("ZAPST", &place.to_string());
        xml.text("OBDOBJE", &self.period.code());
        xml.date("P2", row.booked_on);
        xml.text("P3", &cut(&row.document.number, MOST_CHARS));
        match self.kind {
            BookKind::Issued => issued(xml, row),
            BookKind::Received => received(xml, row),
        }
        for (column, amount) in &row.columns {
            xml.amount(&format!("P{column}"), amount);
        }
        xml.text("OBRAVNAVA", "1");
    }
}

fn issued(xml: &mut Xml, row: &BookRow) {
    xml.date("P4", row.date);
    xml.short("P5", &row.partner, MOST_CHARS);
    if let Some(number) = &row.number {
        xml.text("P6", &number.state);
        xml.text("P6DS", &number.number);
    }
}

fn received(xml: &mut Xml, row: &BookRow) {
    xml.date("P4", row.received_on.unwrap_or(row.booked_on));
    xml.date("P5", row.date);
    xml.text("P6", &cut(&row.partner, MOST_CHARS));
    match (&row.number, &row.foreign_number) {
        (Some(number), _) => {
            xml.text("P7", &number.state);
            xml.text("P7DS", &number.number);
        }
        (None, foreign) => xml.text("P7DS", foreign.as_deref().unwrap_or_default()),
    }
}
