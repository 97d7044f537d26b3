//! Who made the software, from the setting of the process to the message that FURS receives.

use racun_authority_simulator::Filter;
use racun_fiscal::Authority;
use racun_tests::{
    Account, Data, Offices, Profile, Racun, Retries, StoreKind, Taxpayer, Transport,
};
use serde_json::{Value, json};

/// Nothing is sent again here.
const RETRIES: Retries = Retries { initial: 10, max: 10 };

/// The maker that FURS receives with a premise, of a server with these `settings`.
async fn told(transport: Transport, settings: &[(&str, &str)]) -> Value {
    let offices = Offices::open();
    let own = settings
        .iter()
        .map(|(name, value)| (format!("RACUN__FURS__SOFTWARE_MAKER__{name}"), (*value).to_owned()));
    let mut all = offices.settings(transport, RETRIES);
    all.extend(own);
    let data = Data::fresh(StoreKind::Embedded);
    let racun = Racun::start_with(Profile::Debug, data, all).await;
    let account = Account::sign_up(&racun).await;
    let own = Taxpayer::open(&account, &offices, Authority::Furs).await;
    own.open_premise("P1").await.expect(201);
    let premises = Filter { operation: Some("premise".to_owned()), ..Filter::default() };
    let taken = offices.of(Authority::Furs).taken(&premises);
    assert_eq!(taken.len(), 1, "{taken:?}");
    taken[0].content["SoftwareSupplier"].clone()
}

#[tokio::test]
async fn furs_gets_the_software_maker_of_the_settings() {
    let foreign = [("NAME", "Hush Kasse GmbH"), ("ADDRESS", "Ringstraße 1, 1010 Wien")];
    for transport in [Transport::Soap, Transport::Json] {
        let maker = told(transport, &foreign).await;
        let expected = json!([{ "NameForeign": "Hush Kasse GmbH, Ringstraße 1, 1010 Wien" }]);
        assert_eq!(maker, expected, "{transport:?}");
    }
    let maker = told(Transport::Json, &[("TAX_NUMBER", "SI24564444")]).await;
    assert_eq!(maker, json!([{ "TaxNumber": "24564444" }]));
}

#[tokio::test]
async fn without_a_setting_furs_gets_the_maker_of_racun() {
    let maker = told(Transport::Soap, &[]).await;
    let name = maker[0]["NameForeign"].as_str().unwrap_or_default();
    assert!(name.starts_with("Racun, ") && name.contains("its contributors"), "{maker}");
}
