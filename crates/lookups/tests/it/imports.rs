//! Files that operators import.

use racun_lookups::{BadFile, Company, TaxRateEstimate, read_companies, read_tax_rates};

fn companies(text: &str) -> Result<Vec<Company>, BadFile> {
    let mut all = Vec::new();
    read_companies(text.as_bytes(), |company| {
        all.push(company);
        Ok::<_, BadFile>(())
    })
    .map(|()| all)
}

fn rates(text: &str) -> Result<Vec<TaxRateEstimate>, BadFile> {
    let mut all = Vec::new();
    read_tax_rates(text.as_bytes(), |rate| {
        all.push(rate);
        Ok::<_, BadFile>(())
    })
    .map(|()| all)
}

const HEAD: &str = "id,name,address,city,post_code,country_code,tax_number,\
                    registration_number,legal_form,bank_accounts";

#[test]
fn a_register_is_read_by_the_names_of_its_head() {
    let file = format!(
        "\u{feff}{HEAD}\n\
         17,\"Žito, d.o.o.\",Ulica 1,Kranj,4000,si,SI10039856,1234567000,d.o.o.,SI56 1| SI56 2 |\n"
    );
    let read = companies(&file).unwrap();
    let company = &read[0];
    assert_eq!((read.len(), company.name.as_str()), (1, "Žito, d.o.o."));
    assert_eq!(company.bank_accounts, ["SI56 1", "SI56 2"]);
    assert_eq!((company.key().as_str(), company.country_code.as_str()), ("SI/17", "SI"));
    assert!(company.words().contains("zito, d.o.o. kranj"), "{}", company.words());
    let turned = companies("country_code,tax_number,name\nHR,69435151530,Pekara\n").unwrap();
    assert_eq!((turned[0].id.as_str(), &turned[0].address), ("69435151530", &None));
}

#[test]
fn what_is_wrong_with_a_register_is_said_with_its_line() {
    for (file, line, says) in [
        ("", 1, "column name is missing"),
        ("name\nAna\n", 1, "column country_code is missing"),
        ("name,country_code,taxnumber\n", 1, "tax_number was meant"),
        ("name,name,country_code\n", 1, "twice"),
        ("name,country_code,id\nAna,SI,1\nBor,Slovenia,2\n", 3, "country_code: at most 2"),
        ("name,country_code,id\nAna,S1,1\n", 2, "country_code: expected"),
        ("name,country_code,id\n,SI,1\n", 2, "name: must not be empty"),
        ("name,country_code,id\nAna,SI,\n", 2, "id: give an id"),
        ("name,country_code,id\nAna, d.o.o.,SI,1\n", 2, "quotes"),
    ] {
        let refused = companies(file).unwrap_err();
        assert_eq!(refused.line, line, "{file}: {refused}");
        assert!(refused.message.contains(says), "{file}: {refused}");
    }
    let mut latin = b"name,country_code,id\n".to_vec();
    latin.extend(b"\x8eito,SI,1\n");
    let refused = read_companies(&latin[..], |_| Ok::<_, BadFile>(())).unwrap_err();
    assert!(refused.message.contains("UTF-8"), "{refused}");
}

#[test]
fn estimates_are_fractions_of_known_places() {
    let head = "state,zip_code,tax_region_name,estimated_combined_rate,state_rate,county_rate,\
                city_rate,special_rate,risk_level,source,source_month";
    let file = format!("{head}\nCA,90210,BEVERLY HILLS,0.095,0.06,0.0025,0,0.0325,1,test,2026-10");
    let read = rates(&file).unwrap();
    assert_eq!(read[0].estimated_combined_rate.to_string(), "0.095");
    assert_eq!(read[0].key(), "US/90210/CA/BEVERLY HILLS");
    for (from, to, says) in [
        ("CA,", "ca,", "state"),
        ("90210", "9021", "zip_code"),
        ("0.095", "9.5", "estimated_combined_rate"),
        ("0.06,", "-0.06,", "state_rate"),
        ("2026-10", "2026-13", "source_month"),
        (",1,test", ",high,test", "risk_level"),
    ] {
        let refused = rates(&file.replacen(from, to, 1)).unwrap_err();
        assert!(refused.line == 2 && refused.message.starts_with(says), "{to}: {refused}");
    }
}
