//! Rates, companies and tax rates in a store.

use std::sync::Mutex;

use async_trait::async_trait;
use racun_kernel::Environment;
use racun_lookups::{
    CompanySearch, DayRates, ImportError, LookupError, NoRate, Question, RateSource, Refreshed,
    SourceSilent, Span, TABLES, companies, countries, ecb, import_companies, import_tax_rates,
    is_business_day, quoted, rate, refresh, tax_rates,
};
use racun_store::Store;
use racun_store::testing::stamp;
use racun_store_sqlite::SqliteStore;
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};

const NOW: OffsetDateTime = datetime!(2026-10-11 10:00 UTC);

fn store() -> SqliteStore {
    SqliteStore::in_memory(&TABLES).unwrap()
}

/// A bank that answers the next of its scripts, and remembers what it was asked.
#[derive(Default)]
struct Bank {
    answers: Mutex<Vec<Result<Vec<DayRates>, SourceSilent>>>,
    asked: Mutex<Vec<Span>>,
}

#[async_trait]
impl RateSource for Bank {
    async fn fetch(&self, span: Span) -> Result<Vec<DayRates>, SourceSilent> {
        self.asked.lock().unwrap().push(span);
        self.answers.lock().unwrap().pop().unwrap()
    }
}

fn bank(answers: impl IntoIterator<Item = Result<Vec<DayRates>, SourceSilent>>) -> Bank {
    let mut answers: Vec<_> = answers.into_iter().collect();
    answers.reverse();
    Bank { answers: Mutex::new(answers), ..Bank::default() }
}

fn sample() -> Vec<DayRates> {
    ecb::read_csv(include_bytes!("../data/ecb_hist_sample.csv")).unwrap()
}

async fn ask(store: &dyn Store, of: Environment, date: Date) -> Result<String, LookupError> {
    let (from, to) = ("USD".parse().unwrap(), "EUR".parse().unwrap());
    let question = Question { from, to, date, today: date!(2026 - 10 - 11) };
    let rate = rate(store, of, &question).await?;
    Ok(format!("{} {} {}", rate.found.rate, rate.found.date, rate.source))
}

#[tokio::test]
async fn a_server_without_rates_says_so_and_has_them_once_it_reached_the_bank() {
    let store = store();
    let store: &dyn Store = &store;
    let live = Environment::Live;
    let sunday = date!(2026 - 10 - 11);
    let none = ask(store, live, sunday).await.unwrap_err();
    assert!(matches!(none, LookupError::NoRate(NoRate::NotKept { newest: None, .. })), "{none}");
    let silent = SourceSilent { reason: "away".to_owned() };
    let bank = bank([Err(silent.clone()), Ok(sample()), Ok(sample())]);
    assert_eq!(refresh(store, &bank, &stamp(NOW)).await, Ok(Refreshed::Silent(silent)));
    let kept = Refreshed::Kept { days: 4, newest: date!(2026 - 10 - 09) };
    assert_eq!(refresh(store, &bank, &stamp(NOW)).await, Ok(kept));
    assert_eq!(refresh(store, &bank, &stamp(NOW)).await, Ok(Refreshed::UpToDate));
    // The sample leaves days out.
    assert_eq!(*bank.asked.lock().unwrap(), [Span::All, Span::All, Span::Recent]);
    assert_eq!(ask(store, live, sunday).await.unwrap(), "0.8695652174 2026-10-09 ecb");
    let monday = date!(2026 - 10 - 05);
    assert_eq!(ask(store, live, monday).await.unwrap(), "0.871459695 2026-10-02 ecb");
    let newest = quoted(store, live, sunday).await.unwrap().unwrap();
    assert_eq!((newest.date, newest.per_euro.len()), (date!(2026 - 10 - 09), 3));
    let sandbox = Environment::Sandbox;
    assert_eq!(ask(store, sandbox, sunday).await.unwrap(), "0.8 2026-10-09 sandbox");
}

#[tokio::test]
async fn only_what_is_new_is_kept_and_what_was_published_stays() {
    let store = store();
    let store: &dyn Store = &store;
    let mut days = sample();
    let latest = days.remove(0);
    let bank = bank([Ok(days), Ok(vec![latest.clone()]), Ok(sample())]);
    for _ in 0..2 {
        refresh(store, &bank, &stamp(NOW)).await.unwrap();
    }
    assert_eq!(*bank.asked.lock().unwrap(), [Span::All, Span::Recent]);
    let later = datetime!(2026-10-13 16:00 UTC);
    let mut altered = sample();
    altered[1].per_euro.clear();
    *bank.answers.lock().unwrap() = vec![Ok(altered)];
    assert_eq!(refresh(store, &bank, &stamp(later)).await, Ok(Refreshed::UpToDate));
    assert!(ask(store, Environment::Live, date!(2026 - 10 - 08)).await.is_ok());
}

/// Rates of all business days from `from` to `to`.
fn days(from: Date, to: Date) -> Vec<DayRates> {
    let rates = sample().remove(0);
    let all = std::iter::successors(Some(from), |day| day.next_day().filter(|next| *next <= to));
    let business_days = all.filter(|day| is_business_day(*day));
    business_days.map(|date| DayRates { date, ..rates.clone() }).collect()
}

#[tokio::test]
async fn a_hole_that_an_import_leaves_is_closed() {
    for (until, from, span) in [
        (date!(2026 - 09 - 01), date!(2026 - 09 - 21), Span::Recent),
        (date!(2026 - 03 - 02), date!(2026 - 06 - 01), Span::All),
    ] {
        let store = store();
        let store: &dyn Store = &store;
        let (oldest, newest) = (date!(2026 - 01 - 05), date!(2026 - 10 - 09));
        let mut kept = days(oldest, until);
        kept.extend(days(from, newest));
        let count = kept.len();
        let all = days(oldest, newest);
        let first = bank([Ok(kept)]);
        refresh(store, &first, &stamp(NOW)).await.unwrap();
        let bank = bank([Ok(all.clone())]);
        let closed = Refreshed::Kept { days: all.len() - count, newest };
        assert_eq!(refresh(store, &bank, &stamp(NOW)).await, Ok(closed), "{until}");
        assert_eq!(*bank.asked.lock().unwrap(), [span]);
        assert_eq!(refresh(store, &bank, &stamp(NOW)).await, Ok(Refreshed::UpToDate));
    }
}

const REGISTER: &str = "name,city,country_code,tax_number,registration_number\n\
    Žito d.o.o.,Kranj,SI,SI10039856,1234567000\n\
    Zlata žita s.p.,Koper,SI,99999862,7654321000\n\
    Žitarice d.o.o.,Zagreb,HR,HR69435151530,080000001\n";

async fn found(store: &dyn Store, text: &str, country: Option<&str>) -> Vec<String> {
    let search = CompanySearch {
        text: text.to_owned(),
        country_code: country.map(str::to_owned),
        limit: None,
    };
    let found = companies(store, &search).await.unwrap();
    found.into_iter().map(|company| company.name).collect()
}

#[tokio::test]
async fn companies_are_found_by_words_and_numbers() {
    let store = store();
    let store: &dyn Store = &store;
    let imported = import_companies(store, REGISTER.as_bytes(), &stamp(NOW)).await.unwrap();
    assert_eq!((imported.rows, imported.removed), (3, 0));
    assert_eq!(countries(store).await.unwrap(), ["HR", "SI"]);
    let (zito, zlata, zitarice) = ("Žito d.o.o.", "Zlata žita s.p.", "Žitarice d.o.o.");
    for (text, country, expected) in [
        ("zit", None, vec![zlata, zitarice, zito]),
        ("ŽIT", Some("hr"), vec![zitarice]),
        ("koper zita", None, vec![zlata]),
        ("SI 100 398 56", None, vec![zito]),
        ("69435151530", None, vec![zitarice]),
        ("7654321", None, vec![zlata]),
        ("nobody", None, vec![]),
    ] {
        assert_eq!(found(store, text, country).await, expected, "{text}");
    }
    for (text, code, limit, wrong) in [
        ("z", None, None, "q"),
        ("zito", Some("SLO"), None, "country_code"),
        ("zito", None, Some(0), "limit"),
    ] {
        let (text, country_code) = (text.to_owned(), code.map(str::to_owned));
        let search = CompanySearch { text, country_code, limit };
        let refused = companies(store, &search).await.unwrap_err().to_string();
        assert!(refused.starts_with(wrong), "{refused}");
    }
}

#[tokio::test]
async fn a_register_is_replaced_country_by_country_and_a_bad_file_changes_nothing() {
    let store = store();
    let store: &dyn Store = &store;
    import_companies(store, REGISTER.as_bytes(), &stamp(NOW)).await.unwrap();
    let bad = format!("{REGISTER},Koper,SI,1,1\n");
    let refused = import_companies(store, bad.as_bytes(), &stamp(NOW)).await.unwrap_err();
    assert!(matches!(&refused, ImportError::File(bad) if bad.line == 5), "{refused}");
    let newer = "name,country_code,registration_number\nŽito Plus d.o.o.,SI,1234567000\n";
    let later = stamp(NOW + time::Duration::DAY);
    let imported = import_companies(store, newer.as_bytes(), &later).await.unwrap();
    assert_eq!((imported.rows, imported.removed), (1, 1));
    assert_eq!(found(store, "zit", None).await, ["Žitarice d.o.o.", "Žito Plus d.o.o."]);
}

#[tokio::test]
async fn estimates_keep_their_ids() {
    let store = store();
    let store: &dyn Store = &store;
    let head = "state,zip_code,tax_region_name,estimated_combined_rate,source_month";
    let file = |rate: &str| format!("{head}\nCA,90210,A,{rate},2026-10\nNV,90210,B,0.08,2026-10\n");
    let mut ids = Vec::new();
    for (n, rate) in ["0.095", "0.0975"].into_iter().enumerate() {
        let stamp = stamp(NOW + time::Duration::days(i64::try_from(n).unwrap()));
        import_tax_rates(store, file(rate).as_bytes(), &stamp).await.unwrap();
        let found = tax_rates(store, "90210", Some("ca")).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].estimate.estimated_combined_rate.to_string(), rate);
        ids.push(found[0].id());
    }
    assert_eq!(ids[0], ids[1]);
    assert_eq!(tax_rates(store, "90210", None).await.unwrap().len(), 2);
    assert!(tax_rates(store, "9021", Some("CAL")).await.is_err());
}
