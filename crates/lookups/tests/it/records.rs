//! What is stored reads back as declared.

use racun_lookups::{
    BadFile, KeptCompany, KeptDay, KeptTaxRate, ecb, read_companies, read_tax_rates,
};
use racun_store::testing::assert_stored_as_declared;
use time::macros::datetime;

#[test]
fn days_companies_and_estimates_are_stored_as_declared() {
    let at = datetime!(2026-11-20 10:00 UTC);
    let days = ecb::read_xml(include_bytes!("../data/ecb_daily_2026-07-09.xml")).unwrap();
    for rates in days {
        assert_stored_as_declared(&KeptDay { rates, created_at: at });
    }
    read_companies(&b"name,country_code,tax_number\nAna,SI,SI10039856\n"[..], |company| {
        assert_stored_as_declared(&KeptCompany { company, imported_at: at, created_at: at });
        Ok::<_, BadFile>(())
    })
    .unwrap();
    let file = "state,zip_code,estimated_combined_rate,source_month\nCA,90210,0.095,2026-10\n";
    let mut ids = Vec::new();
    read_tax_rates(file.as_bytes(), |estimate| {
        let kept = KeptTaxRate { estimate, imported_at: at, created_at: at };
        assert_stored_as_declared(&kept);
        ids.push(kept.id().to_string());
        Ok::<_, BadFile>(())
    })
    .unwrap();
    assert!(ids[0].starts_with("tre_"));
}
