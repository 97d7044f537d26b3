//! The table of lines.

use racun_documents::calculation::{Discount, DiscountKind};
use racun_documents::{Line, LineKind, Localized};
use racun_kernel::Decimal;

use super::Source;
use crate::clean::{line as one_line, paragraphs};
use crate::model::{Align, Column, ColumnKey, Row, Table, TableKey};
use crate::words::Word;

/// How the lines of a document are priced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pricing {
    Net,
    Gross,
    Mixed,
}

impl Source<'_> {
    fn pricing(&self) -> Pricing {
        let lines = &self.document.content.lines;
        let gross = lines.iter().filter(|line| line.gross_price.is_some()).count();
        let priced = lines.iter().filter(|line| line.kind.is_none()).count();
        match gross {
            0 => Pricing::Net,
            all if all == priced => Pricing::Gross,
            _ => Pricing::Mixed,
        }
    }

    pub(super) fn column(&self, key: ColumnKey, word: Word, align: Align) -> Column {
        Column { key, label: self.word(word).to_owned(), align }
    }

    /// What is sold; without prices where they are hidden.
    pub(super) fn lines(&self) -> Table {
        let lines = &self.document.content.lines;
        let pricing = self.pricing();
        let prices = self.shows_prices();
        let has_discounts = prices && lines.iter().any(|line| !line.discounts.is_empty());
        let has_taxes = prices && lines.iter().any(|line| !line.taxes.is_empty());
        let price = if pricing == Pricing::Gross { Word::PriceGross } else { Word::Price };
        let position =
            Column { key: ColumnKey::Position, label: "#".to_owned(), align: Align::End };
        let mut columns = vec![
            position,
            self.column(ColumnKey::Name, Word::Name, Align::Start),
            self.column(ColumnKey::Quantity, Word::Quantity, Align::End),
        ];
        let more = [
            (prices, ColumnKey::Price, price),
            (has_discounts, ColumnKey::Discount, Word::Discount),
            (has_taxes, ColumnKey::TaxRate, Word::Tax),
            (prices && pricing != Pricing::Gross, ColumnKey::Net, Word::Net),
            (prices && pricing != Pricing::Net, ColumnKey::Gross, Word::Gross),
        ];
        for (_, key, word) in more.into_iter().filter(|(is_there, ..)| *is_there) {
            columns.push(self.column(key, word, Align::End));
        }
        let mut carried = Decimal::zero();
        let mut position = 0;
        let row = |line: &Line| {
            let (name, description) = self.named(line);
            if line.kind == Some(LineKind::Separator) {
                return Row::Heading { name, description };
            }
            position += 1;
            carried += if pricing == Pricing::Net { &line.total } else { &line.total_with_tax };
            let cell = |column: &Column| match column.key {
                ColumnKey::Position => position.to_string(),
                ColumnKey::Name => name.clone(),
                key => self.cell(line, key),
            };
            Row::Cells {
                cells: columns.iter().map(cell).collect(),
                description,
                carried: prices.then(|| self.money(&carried)),
            }
        };
        let rows = lines.iter().map(row).collect();
        Table { key: TableKey::Lines, label: None, columns, rows }
    }

    /// Name and description in the document's language.
    fn named(&self, line: &Line) -> (String, Option<String>) {
        let locale = self.language.locale();
        let translated = |texts: &Option<Localized>| {
            texts
                .as_ref()
                .and_then(|texts| texts.get(locale))
                .filter(|text| !text.is_empty())
                .cloned()
        };
        let name = translated(&line.translations.name).unwrap_or_else(|| line.name.clone());
        let description =
            translated(&line.translations.description).or_else(|| line.description.clone());
        (one_line(&name), paragraphs(description.as_deref()))
    }

    fn cell(&self, line: &Line, key: ColumnKey) -> String {
        let currency = self.document.content.currency;
        let amount = |amount: &Decimal| self.locale.amount(&self.shown(amount), currency);
        match key {
            ColumnKey::Quantity => {
                let unit = line.unit.as_deref().map(one_line).unwrap_or_default();
                let quantity = self.locale.number(&line.quantity, 0);
                format!("{quantity} {unit}").trim_end().to_owned()
            }
            ColumnKey::Price => {
                let price = line.price.as_ref().or(line.gross_price.as_ref());
                price.map(amount).unwrap_or_default()
            }
            ColumnKey::Discount => {
                let texts: Vec<String> =
                    line.discounts.iter().map(|discount| self.discount(discount)).collect();
                texts.join(" + ")
            }
            ColumnKey::TaxRate => {
                let rates = line.taxes.iter().map(|tax| self.locale.percent(&tax.rate));
                rates.collect::<Vec<_>>().join(" + ")
            }
            ColumnKey::Net => amount(&line.total),
            ColumnKey::Gross => amount(&line.total_with_tax),
            _ => String::new(),
        }
    }

    fn discount(&self, discount: &Discount) -> String {
        match discount.kind {
            DiscountKind::Percent => self.locale.percent(&discount.value),
            DiscountKind::Amount => self.money(&discount.value),
        }
    }
}
