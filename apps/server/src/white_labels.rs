//! Where white labels come from: the operator's file, or the store, in which the operator manages
//! them.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use config::{Config, File, FileFormat};
use racun_billing::Catalogue;
use racun_sales::billing::LabelSource;

use crate::settings::Settings;

/// Reads and checks the file that the settings name. With an operator's key white labels are in the
/// store; without either there are none.
///
/// # Errors
/// When the file cannot be read, or something in it is wrong: one line that names the field.
pub fn load(settings: &Settings) -> anyhow::Result<LabelSource> {
    let path = match (&settings.billing.file, settings.billing.operator_key()) {
        (None, None) => return Ok(LabelSource::default()),
        // The settings have no file then.
        (_, Some(_)) => return Ok(LabelSource::Managed),
        (Some(path), None) => path,
    };
    let place = || format!("setting RACUN__BILLING__FILE: {}", path.display());
    read(path).map(LabelSource::from).with_context(place)
}

fn read(path: &Path) -> anyhow::Result<Catalogue> {
    let text = fs::read_to_string(path).context("it cannot be read")?;
    let file = File::from_str(&text, FileFormat::Toml);
    let parsed = Config::builder().add_source(file).build()?;
    let catalogue: Catalogue = serde_path_to_error::deserialize(parsed)
        .map_err(|error| anyhow!("{}: {}", error.path(), error.inner()))?;
    Ok(catalogue.complete()?)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use racun_billing::{Feature, Interval};
    use racun_kernel::Environment;

    use super::*;

    fn refused(text: &str) -> String {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        format!("{:#}", read(file.path()).unwrap_err())
    }

    #[test]
    fn the_documented_example_is_read() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/white-labels.example.toml");
        let catalogue = read(&path).unwrap();
        let label = catalogue.at_host("Invoices.Example.com:443").unwrap();
        assert_eq!(label.slug, "example");
        assert_eq!(label.starts_with(Environment::Live).unwrap().slug, "start");
        let slugs: Vec<_> = label.plans.iter().map(|plan| plan.slug.as_str()).collect();
        assert_eq!(slugs, ["free", "start", "business"]);
        let business = label.choose("business", Interval::Yearly).unwrap();
        assert!(business.has(Feature::Furs) && business.limits.overage_price_cents.is_some());
        assert!(!label.free_plan().unwrap().has(Feature::Furs));
    }

    #[test]
    fn a_mistake_is_reported_with_its_place() {
        let label = "[[white_labels]]\nslug = \"a\"\nname = \"A\"\nhosts = [\"a.example\"]\n";
        let plan = "[[white_labels.plans]]\nslug = \"p\"\nname = \"P\"\nbase_price_cents = ";
        for (text, expected) in [
            ("[[white_labels]\n".to_owned(), "at line 1"),
            (format!("{label}colour = 1\n"), "white_labels[0]"),
            (format!("{label}{plan}\"much\"\n"), "white_labels[0].plans[0].base_price_cents"),
            (format!("{label}{plan}-1\n"), "white_labels[0].plans[0].base_price_cents"),
            (
                format!("{label}{plan}1\nfeatures = [\"fax\"]\n"),
                "white_labels[0].plans[0].features[0]",
            ),
            (format!("{label}billing_enabled = true\n"), "white_labels[0].default_plan"),
            (format!("{label}{label}"), "white_labels[1].slug"),
        ] {
            let told = refused(&text);
            assert!(told.contains(expected), "{text}: {told}");
        }
    }
}
