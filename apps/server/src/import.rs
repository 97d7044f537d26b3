//! `racun registry import`, `racun tax-rates import` and `racun rates import`: public data out of
//! an operator's files.

use std::fs::File;
use std::io::BufReader;

use anyhow::Context as _;
use racun_lookups::{Imported, import_companies, import_rates, import_tax_rates};

use crate::settings::Settings;
use crate::{clock, print, store};

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// Companies of a public register.
    Registry,
    /// Estimated rates of sales tax.
    TaxRates,
    /// Reference rates, as the European Central Bank writes them.
    Rates,
}

/// Imports the file at `path` and says what it did.
///
/// # Errors
/// When the file cannot be read, a line of it is wrong, or the store cannot be opened, which the
/// embedded one cannot while a server has it.
pub async fn import(settings: &Settings, data: Data, path: &str) -> anyhow::Result<()> {
    let file = File::open(path).with_context(|| format!("{path} cannot be read"))?;
    let opened = store::open(settings).await?;
    let (store, stamp) = (&*opened.store, clock::stamp());
    let file = BufReader::new(file);
    let done = match data {
        Data::Registry => import_companies(store, file, &stamp).await.map(said),
        Data::TaxRates => import_tax_rates(store, file, &stamp).await.map(said),
        Data::Rates => import_rates(store, file, &stamp)
            .await
            .map(|days| format!("{days} days of rates are new")),
    };
    opened.closing.clone().close().await;
    print::line(format_args!("{path}: {}", done.with_context(|| path.to_owned())?));
    Ok(())
}

fn said(imported: Imported) -> String {
    let Imported { rows, removed, of } = imported;
    let of: Vec<String> = of.into_iter().collect();
    format!("{rows} rows of {}, {removed} of before removed", of.join(", "))
}
