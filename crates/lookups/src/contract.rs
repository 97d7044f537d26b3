//! For tests only, and unstable: the contract that every [`RateSource`] must keep, and a source
//! that needs no network.

use std::collections::BTreeMap;

use async_trait::async_trait;
use time::{Date, Duration};

use crate::code::CurrencyCode;
use crate::port::{RateSource, SourceSilent, Span};
use crate::rates::{DayRates, FIRST_DAY};
use crate::sandbox;
use crate::target::last_business_day;

/// The spans, from few days to many.
const SPANS: [Span; 3] = [Span::Latest, Span::Recent, Span::All];

/// A source with the rates of the sandbox for all business days until `last`; a silent one without
/// that day.
#[derive(Debug, Clone, Copy)]
pub struct SimulatedBank {
    /// The last day that it has published rates of.
    pub last: Option<Date>,
}

#[async_trait]
impl RateSource for SimulatedBank {
    async fn fetch(&self, span: Span) -> Result<Vec<DayRates>, SourceSilent> {
        let Some(last) = self.last.map(last_business_day) else {
            return Err(SourceSilent { reason: "the simulated bank is away".to_owned() });
        };
        let first = match span {
            Span::Latest => last,
            Span::Recent => last - Duration::days(90),
            Span::All => FIRST_DAY,
        };
        let before = |day: &Date| day.previous_day().map(last_business_day);
        let days = std::iter::successors(Some(last), before);
        Ok(days.take_while(|day| *day >= first).map(sandbox::day).collect())
    }
}

/// Each span has each of its days once, the newest first, with the rates of currencies other than
/// the euro. The latest rates are of one day, and of a day that two spans have they say the same.
///
/// # Panics
/// When the source does not keep the contract.
pub async fn each_day_comes_once_the_newest_first(source: &dyn RateSource) {
    let mut known: BTreeMap<(Date, CurrencyCode), String> = BTreeMap::new();
    for span in SPANS {
        let days = source.fetch(span).await.expect("the source publishes");
        assert!(!days.is_empty(), "{span:?} has no day");
        assert!(span != Span::Latest || days.len() == 1, "{span:?} has {} days", days.len());
        let dates: Vec<Date> = days.iter().map(|day| day.date).collect();
        assert!(dates.is_sorted_by(|newer, older| newer > older), "{span:?}: {dates:?}");
        assert!(dates.iter().all(|date| *date >= FIRST_DAY), "{span:?}: {dates:?}");
        for DayRates { date, per_euro } in days {
            assert!(!per_euro.is_empty(), "{span:?} has no rate of {date}");
            for (code, units) in per_euro {
                assert!(code != CurrencyCode::EUR, "{date}: the euro is what is counted in");
                assert!(units.is_positive(), "{date}: {units} {code} for one euro");
                let units = units.to_string();
                let before = known.insert((date, code), units.clone());
                assert!(before.is_none_or(|before| before == units), "{span:?}: {date} {code}");
            }
        }
    }
}

/// A source that gives no rates says so, and why, for each span: no days are no answer.
///
/// # Panics
/// When the source does not keep the contract.
pub async fn silence_is_an_error(source: &dyn RateSource) {
    for span in SPANS {
        let SourceSilent { reason } = source.fetch(span).await.expect_err("the source is silent");
        assert!(!reason.is_empty(), "{span:?} says not why");
    }
}
