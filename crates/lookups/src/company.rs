//! Companies of a public register that an operator imported.

use std::io::Read;

use racun_kernel::{check_country_code, text, vat_number};
use serde::{Deserialize, Serialize};

use crate::csv_reader::{BadFile, CsvReader, Row};

/// Names of the columns: those of the interface's answer.
const COLUMNS: &[&str] = &[
    "id",
    "name",
    "address",
    "city",
    "post_code",
    "country_code",
    "tax_number",
    "registration_number",
    "legal_form",
    "bank_accounts",
];
const REQUIRED: &[&str] = &["name", "country_code"];

const MAX_TEXT_CHARS: usize = 500;
const MAX_ID_CHARS: usize = 100;
/// Bank accounts of a company.
const MAX_ACCOUNTS: usize = 50;
/// What parts bank accounts.
const BETWEEN_ACCOUNTS: char = '|';

/// A company as a public register has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Company {
    /// What the register calls it: its own id, or the registration or tax number.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Street and number.
    pub address: Option<String>,
    /// City.
    pub city: Option<String>,
    /// Post code.
    pub post_code: Option<String>,
    /// ISO 3166-1 alpha-2 code of the register's country.
    pub country_code: String,
    /// Tax number.
    pub tax_number: Option<String>,
    /// Number in the register.
    pub registration_number: Option<String>,
    /// Legal form, as the register writes it.
    pub legal_form: Option<String>,
    /// Numbers of its bank accounts.
    pub bank_accounts: Vec<String>,
}

impl Company {
    /// What is the same of two rows about one company.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.country_code, self.id)
    }

    /// What a search by text looks into, folded: the words of the name and the city, then the
    /// numbers without what parts their digits.
    #[must_use]
    pub fn words(&self) -> String {
        let numbers = [&self.tax_number, &self.registration_number]
            .map(|number| number.as_deref().map(vat_number::compact).unwrap_or_default());
        let [tax, registration] = numbers;
        let city = self.city.as_deref().unwrap_or_default();
        text::fold(&format!("{} {city} {tax} {registration}", self.name))
    }

    fn of(row: &Row<'_>) -> Result<Self, BadFile> {
        let line = |column| row.text(column, MAX_TEXT_CHARS);
        let number = |column| row.text(column, MAX_ID_CHARS);
        let country_code = row.required("country_code", 2)?.to_ascii_uppercase();
        check_country_code(&country_code)
            .map_err(|issue| row.bad("country_code", &issue.message))?;
        let (tax_number, registration_number) =
            (number("tax_number")?, number("registration_number")?);
        let id = number("id")?.or_else(|| registration_number.clone());
        let id = id
            .or_else(|| tax_number.clone())
            .ok_or_else(|| row.bad("id", "give an id, a registration_number or a tax_number"))?;
        Ok(Self {
            id,
            name: row.required("name", MAX_TEXT_CHARS)?,
            address: line("address")?,
            city: line("city")?,
            post_code: line("post_code")?,
            country_code,
            tax_number,
            registration_number,
            legal_form: line("legal_form")?,
            bank_accounts: accounts(row)?,
        })
    }
}

fn accounts(row: &Row<'_>) -> Result<Vec<String>, BadFile> {
    let all = row.text("bank_accounts", MAX_ACCOUNTS * MAX_ID_CHARS)?.unwrap_or_default();
    let parts = all.split(BETWEEN_ACCOUNTS).map(str::trim).filter(|part| !part.is_empty());
    let accounts: Vec<String> = parts.map(str::to_owned).collect();
    match accounts.len() <= MAX_ACCOUNTS {
        true => Ok(accounts),
        false => Err(row.bad("bank_accounts", &format!("at most {MAX_ACCOUNTS}, parted by |"))),
    }
}

/// Reads a register's file row by row and hands each company to `take`. The columns are those of
/// the interface's answer, in any order; `name` and `country_code` have to be there.
///
/// # Errors
/// [`BadFile`] at the first line that cannot be read, and whatever `take` answers.
pub fn read_companies<E: From<BadFile>>(
    from: impl Read,
    mut take: impl FnMut(Company) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = CsvReader::open(from, COLUMNS, REQUIRED)?;
    while let Some(row) = reader.next_row()? {
        take(Company::of(&row)?)?;
    }
    Ok(())
}
