//! Bytes that no publisher sends.

use proptest::prelude::*;
use racun_lookups::{BadFile, ecb, read_companies, read_tax_rates};

const XML: &str = include_str!("../data/ecb_hist_90d_sample.xml");
const CSV: &str = include_str!("../data/ecb_hist_sample.csv");

#[test]
fn files_that_are_cut_are_refused() {
    for end in 0..XML.trim_end().len() {
        assert!(ecb::read_xml(&XML.as_bytes()[..end]).is_err(), "{end}");
    }
    let rows: Vec<usize> = CSV.match_indices('\n').map(|(at, _)| at + 1).collect();
    for end in (0..CSV.len()).filter(|end| !rows.contains(end)) {
        assert!(ecb::read_csv(&CSV.as_bytes()[..end]).is_err(), "{end}");
    }
}

proptest! {
    #[test]
    fn any_rates_end_in_days_or_a_short_refusal(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        at in 0..XML.len(),
    ) {
        let mut altered = XML.as_bytes().to_vec();
        altered.splice(at..at, bytes.iter().copied());
        for read in [ecb::read_xml(&bytes), ecb::read_csv(&bytes), ecb::read_xml(&altered)] {
            if let Err(refusal) = read {
                prop_assert!(refusal.to_string().len() < 300, "{}", refusal);
            }
        }
    }

    #[test]
    fn any_import_ends_in_rows_or_a_short_refusal(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        text in "(name,country_code,id|state,zip_code|)\n[a-z,\"|0-9\n]{0,200}",
    ) {
        for file in [&bytes[..], text.as_bytes()] {
            let companies = read_companies(file, |_| Ok::<_, BadFile>(()));
            let rates = read_tax_rates(file, |_| Ok::<_, BadFile>(()));
            for refusal in [companies.err(), rates.err()].into_iter().flatten() {
                prop_assert!(refusal.to_string().len() < 600, "{}", refusal);
            }
        }
    }
}
