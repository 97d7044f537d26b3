//! On which days a schedule runs: arithmetic on dates, nothing else.

use racun_kernel::{Issue, Issues};
use serde::{Deserialize, Serialize};
use time::{Date, Duration, Month};

/// How often a schedule runs, before its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frequency {
    /// Every day.
    Daily,
    /// On one day of the week.
    Weekly,
    /// On one day of the month.
    Monthly,
    /// On one day of the year.
    Yearly,
}

impl Frequency {
    /// All frequencies.
    pub const ALL: [Self; 4] = [Self::Daily, Self::Weekly, Self::Monthly, Self::Yearly];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
        }
    }

    /// The frequency called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|frequency| frequency.name() == name)
    }
}

/// What a request says of when a schedule runs, not checked yet: [`Schedule::new`] checks it.
///
/// A day or month that its frequency does not use is kept as sent and has no effect, for clients
/// send all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// How often, before the interval.
    pub frequency: Frequency,
    /// Every how many days, weeks, months or years; 1 to [`Schedule::MAX_INTERVAL`].
    pub interval: i64,
    /// Weekly: 0 is Sunday, 6 is Saturday. When missing, the weekday of `start_date`.
    pub day_of_week: Option<i64>,
    /// Monthly and yearly: 1 to 31; the last day of a month that has no such day. When missing, the
    /// day of `start_date`.
    pub day_of_month: Option<i64>,
    /// Yearly: 1 to 12. When missing, the month of `start_date`.
    pub month_of_year: Option<i64>,
    /// No run is before this day; the first that fits is the first run.
    #[serde(with = "racun_kernel::calendar::date")]
    pub start_date: Date,
    /// No run is after this day.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub end_date: Option<Date>,
}

/// A checked [`Pattern`]: the days on which invoices are made.
///
/// The first run is the first day on or after `start_date` that fits; every other run is a whole
/// number of intervals after it. So an interval above 1 keeps its phase, and a day that a short
/// month lacks comes back in the next month that has it: 31 January, 28 February, 31 March.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Pattern", into = "Pattern")]
pub struct Schedule(Pattern);

/// A distance on the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Span {
    Days(i64),
    Months(i64),
}

impl Span {
    /// `date` moved by this far; in months, to the last day of a month that lacks its day. `None`
    /// beyond year 9999.
    pub(super) fn after(self, date: Date) -> Option<Date> {
        match self {
            Self::Days(days) => date.checked_add(Duration::days(days)),
            Self::Months(months) => in_month(month_index(date) + months, i64::from(date.day())),
        }
    }
}

impl Schedule {
    /// The longest interval.
    pub const MAX_INTERVAL: i64 = 365;

    /// Accepts `pattern`.
    ///
    /// # Errors
    /// One issue for each value out of its range, also of those that the frequency does not use,
    /// and for an end before the start.
    pub fn new(pattern: Pattern) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        let ranges = [
            ("interval", Some(pattern.interval), 1, Self::MAX_INTERVAL),
            ("day_of_week", pattern.day_of_week, 0, 6),
            ("day_of_month", pattern.day_of_month, 1, 31),
            ("month_of_year", pattern.month_of_year, 1, 12),
        ];
        for (field, value, least, most) in ranges {
            if value.is_some_and(|value| value < least || value > most) {
                let message = match field {
                    "day_of_week" => "must be from 0, Sunday, to 6, Saturday".to_owned(),
                    _ => format!("must be from {least} to {most}"),
                };
                issues.push(Issue::new("out_of_range", message).at(field));
            }
        }
        if pattern.end_date.is_some_and(|end| end < pattern.start_date) {
            let message = format!("must not be before start_date, {}", pattern.start_date);
            issues.push(Issue::new("end_before_start", message).at("end_date"));
        }
        issues.into_result(Self(pattern))
    }

    /// The pattern as it was accepted.
    #[must_use]
    pub const fn pattern(&self) -> &Pattern {
        &self.0
    }

    /// The first run; `None` when no day from start to end fits.
    #[must_use]
    pub fn first(&self) -> Option<Date> {
        self.on_or_after(self.0.start_date)
    }

    /// The next run after `date`; `None` past the end date and past year 9999.
    #[must_use]
    pub fn after(&self, date: Date) -> Option<Date> {
        self.on_or_after(date.next_day()?)
    }

    /// The next run on or after `date`; `None` past the end date and past year 9999.
    #[must_use]
    pub fn on_or_after(&self, date: Date) -> Option<Date> {
        let anchor = self.anchor()?;
        let passed = self.steps_between(anchor, date.max(anchor));
        let run = (passed..=passed + 1).filter_map(|n| self.run(anchor, n)).find(|at| *at >= date);
        run.filter(|run| self.0.end_date.is_none_or(|end| *run <= end))
    }

    /// How far what a template of `template_date` says of its service is moved for the run of
    /// `run_date`: one interval for each run since the first, and for the first the whole intervals
    /// from the template to it, at least one when it is in a later month (for daily and weekly
    /// schedules, on a later day).
    pub(super) fn shift(&self, template_date: Date, run_date: Date) -> Span {
        let first = self.anchor().unwrap_or(run_date);
        let ahead = self.units_between(template_date, first);
        let (Span::Days(step) | Span::Months(step)) = self.step();
        let to_first = if ahead > 0 { (ahead / step).max(1) } else { ahead / step };
        self.steps(to_first + self.steps_between(first, run_date))
    }

    /// The first run as if there were no end date.
    fn anchor(&self) -> Option<Date> {
        let start = self.0.start_date;
        match self.0.frequency {
            Frequency::Daily => Some(start),
            Frequency::Weekly => {
                let weekday = i64::from(start.weekday().number_days_from_sunday());
                let wanted = self.0.day_of_week.unwrap_or(weekday);
                Span::Days((wanted - weekday).rem_euclid(7)).after(start)
            }
            Frequency::Monthly => self.anchor_from(month_index(start), 1),
            Frequency::Yearly => {
                let month =
                    self.0.month_of_year.map_or(month_index(start).rem_euclid(12), |m| m - 1);
                self.anchor_from(i64::from(start.year()) * 12 + month, 12)
            }
        }
    }

    /// The first day that fits in `month`, or else `months` later, and is not before the start.
    fn anchor_from(&self, month: i64, months: i64) -> Option<Date> {
        let fits = [month, month + months].map(|month| in_month(month, self.day()));
        fits.into_iter().flatten().find(|date| *date >= self.0.start_date)
    }

    /// The day of the month wanted, whether or not a month has it.
    fn day(&self) -> i64 {
        self.0.day_of_month.unwrap_or_else(|| i64::from(self.0.start_date.day()))
    }

    /// The distance from run to run.
    const fn step(&self) -> Span {
        self.steps(1)
    }

    /// The distance over `count` runs.
    const fn steps(&self, count: i64) -> Span {
        let count = count * self.0.interval;
        match self.0.frequency {
            Frequency::Daily => Span::Days(count),
            Frequency::Weekly => Span::Days(7 * count),
            Frequency::Monthly => Span::Months(count),
            Frequency::Yearly => Span::Months(12 * count),
        }
    }

    /// The `n`-th run after the one on `anchor`. Counted from the anchor and not from the run
    /// before, so that a short month leaves no trace.
    fn run(&self, anchor: Date, n: i64) -> Option<Date> {
        match self.steps(n) {
            Span::Months(months) => in_month(month_index(anchor) + months, self.day()),
            days @ Span::Days(_) => days.after(anchor),
        }
    }

    /// Days or calendar months from one date to another, whichever the schedule counts in.
    fn units_between(&self, from: Date, to: Date) -> i64 {
        match self.step() {
            Span::Days(_) => (to - from).whole_days(),
            Span::Months(_) => month_index(to) - month_index(from),
        }
    }

    /// Whole intervals from one date to a later one.
    fn steps_between(&self, from: Date, to: Date) -> i64 {
        let (Span::Days(step) | Span::Months(step)) = self.step();
        self.units_between(from, to) / step
    }
}

impl TryFrom<Pattern> for Schedule {
    type Error = Issues;

    fn try_from(pattern: Pattern) -> Result<Self, Issues> {
        Self::new(pattern)
    }
}

impl From<Schedule> for Pattern {
    fn from(schedule: Schedule) -> Self {
        schedule.0
    }
}

/// Months since year 0.
pub(super) fn month_index(date: Date) -> i64 {
    i64::from(date.year()) * 12 + i64::from(u8::from(date.month())) - 1
}

/// `day` of a month, or the month's last day when it has no such day; `None` beyond year 9999.
pub(super) fn in_month(index: i64, day: i64) -> Option<Date> {
    let year = i32::try_from(index.div_euclid(12)).ok()?;
    let month = Month::try_from(u8::try_from(index.rem_euclid(12) + 1).ok()?).ok()?;
    let day = u8::try_from(day).ok()?.min(month.length(year));
    Date::from_calendar_date(year, month, day).ok()
}
