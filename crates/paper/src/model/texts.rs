//! All texts of a model.

use super::{Block, Code, Fact, Paper, Row, Table};

impl Paper {
    /// Every text that a rendering of the whole document shows, in the order of the page.
    ///
    /// Left out is what hangs on the rendering: how pages are counted and what is carried over.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        let mut all = vec![self.title.as_str()];
        all.extend(self.number.as_deref());
        all.extend(self.banners.iter().map(|banner| banner.text.as_str()));
        self.issuer.put(&mut all);
        if let Some(customer) = &self.customer {
            customer.put(&mut all);
        }
        put_facts(&self.facts, &mut all);
        self.lines.put(&mut all);
        for total in &self.totals {
            all.extend([total.label.as_str(), &total.text]);
        }
        let tables = [&self.taxes, &self.advances, &self.payments, &self.converted];
        tables.into_iter().flatten().for_each(|table| table.put(&mut all));
        all.extend(self.clauses.iter().map(String::as_str));
        if let Some(payment) = &self.payment {
            all.push(&payment.label);
            put_facts(&payment.facts, &mut all);
            payment.codes.iter().for_each(|code| code.put(&mut all));
        }
        for note in &self.notes {
            all.extend([note.label.as_str(), &note.text]);
        }
        all.extend(self.signature.as_ref().and_then(|signature| signature.text.as_deref()));
        for marks in &self.marks {
            put_facts(&marks.facts, &mut all);
            all.extend(marks.sentences.iter().map(String::as_str));
            marks.code.iter().for_each(|code| code.put(&mut all));
        }
        all.extend(self.footer.as_deref());
        all.retain(|text| !text.is_empty());
        all
    }

    /// What a file of it is called, without its ending: title and number.
    #[must_use]
    pub fn file_name(&self) -> String {
        let number = self.number.as_deref().unwrap_or_default();
        let name = format!("{} {number}", self.title);
        let plain = |sign: char| match sign {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '-',
            sign if sign.is_whitespace() || sign.is_control() => '-',
            sign => sign,
        };
        name.trim().chars().map(plain).take(100).collect()
    }
}

impl Block {
    fn put<'a>(&'a self, all: &mut Vec<&'a str>) {
        all.extend([self.label.as_str(), &self.name]);
        all.extend(self.address.iter().map(String::as_str));
        put_facts(&self.facts, all);
    }
}

impl Table {
    fn put<'a>(&'a self, all: &mut Vec<&'a str>) {
        all.extend(self.label.as_deref());
        all.extend(self.columns.iter().map(|column| column.label.as_str()));
        for row in &self.rows {
            match row {
                Row::Heading { name, description } => {
                    all.push(name);
                    all.extend(description.as_deref());
                }
                Row::Cells { cells, description, .. } => {
                    all.extend(cells.iter().map(String::as_str));
                    all.extend(description.as_deref());
                }
            }
        }
    }
}

impl Code {
    fn put<'a>(&'a self, all: &mut Vec<&'a str>) {
        all.push(&self.label);
        put_facts(&self.slip, all);
    }
}

fn put_facts<'a>(facts: &'a [Fact], all: &mut Vec<&'a str>) {
    for fact in facts {
        all.extend([fact.label.as_str(), &fact.text]);
    }
}
