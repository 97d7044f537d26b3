//! The closing of a day: its report, frozen, with the cash that was counted.
//!
//! Each place (the entity, a premise, a device) closes a day once, and numbers its closings without
//! gaps. A closing covers what was sold until its moment. What comes to a closed day afterwards is
//! in the place's next closing: the reports of the closed days that changed are recomputed then,
//! and what they have more than closings have covered of them is carried over ([`CarriedOver`]). So
//! no sale and no money of closed days is in none of them, and none in two.
//!
//! A closing never changes and cannot be deleted.

use racun_kernel::id::{EntityId, PosClosingId, UserId};
use racun_kernel::{Currency, Decimal, Issue, Issues, Patch, Person, Tenant, calendar};
use racun_store::{Actor, Event, Field, Series, Unique};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use crate::check::{not_blank, required, text};
use crate::events;
use crate::takings::{MoneyOfKind, Takings};

/// Characters that a closing's note may hold.
pub const MAX_CLOSING_NOTE_CHARS: usize = 10_000;
/// Characters that the name of a premise or a device may hold.
const MAX_PLACE_CHARS: usize = 20;

/// What is closed: the entity, one of its business premises, or a device of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ClosedPlace {
    /// Name of the business premise, as documents bear it.
    pub premise: Option<String>,
    /// Name of the electronic device in it.
    pub device: Option<String>,
}

impl ClosedPlace {
    /// The place of these names.
    ///
    /// # Errors
    /// Names that no premise or device has, by the properties of the interface; a device without
    /// the premise, for several premises may have devices of one name.
    pub fn of(premise: Option<String>, device: Option<String>) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        let mut named = |field: &str, name: Option<String>| {
            let name = name.map(|name| not_blank(name, MAX_PLACE_CHARS)).transpose();
            issues.collect(field, name).flatten()
        };
        let premise = named(PREMISE, premise);
        let device = named(DEVICE, device);
        if device.is_some() && premise.is_none() && issues.is_empty() {
            let message = "name the premise that the device is in, too";
            issues.push(required(message).at(PREMISE));
        }
        issues.into_result(Self { premise, device })
    }

    /// Its closings' numbers: a sequence of its own.
    #[must_use]
    pub fn series(&self, tenant: Tenant) -> Series {
        Series { tenant, key: format!("pos_closing/{}", self.key()), start: 1 }
    }

    /// What no closing of this place and `date` shares with another one.
    #[must_use]
    pub fn day_key(&self, date: Date) -> String {
        format!("{}/{}", calendar::format_date(date), self.key())
    }

    /// Names hold letters, digits and no slash, so two places never have one key.
    #[must_use]
    pub fn key(&self) -> String {
        let name = |name: &Option<String>| name.clone().unwrap_or_default().replace('/', "//");
        format!("{}/{}", name(&self.premise), name(&self.device))
    }
}

/// The interface's names of a place's parts.
const PREMISE: &str = "business_premise_name";
const DEVICE: &str = "electronic_device_name";

/// What a caller says of a closing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewClosing {
    /// The day, `YYYY-MM-DD`; today when missing. A day to come cannot be closed.
    pub date: Patch<String>,
    /// Closes a premise, or a device in it, instead of the entity.
    pub business_premise_name: Patch<String>,
    /// Closes a device of the premise.
    pub electronic_device_name: Patch<String>,
    /// What the previous closing left in the drawer; 0 when missing.
    pub opening_cash: Patch<Decimal>,
    /// What is in the drawer. Needed.
    pub counted_cash: Patch<Decimal>,
    /// The caller's note, at most [`MAX_CLOSING_NOTE_CHARS`].
    pub note: Patch<String>,
}

/// What a caller says of a closing, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The day.
    pub date: Date,
    /// What is closed.
    pub place: ClosedPlace,
    /// What the previous closing left in the drawer.
    pub opening_cash: Decimal,
    /// What is in the drawer.
    pub counted_cash: Decimal,
    /// The caller's note.
    pub note: Option<String>,
}

impl NewClosing {
    /// The same, where `today` is the entity's day and money is in `currency`.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn check(self, today: Date, currency: Currency) -> Result<Count, Issues> {
        let mut issues = Issues::default();
        let day = |text: String| {
            let date = calendar::parse_date(&text)?;
            if date > today {
                let message = format!("a day to come cannot be closed; today is {today}");
                return Err(Issue::new("date_in_future", message));
            }
            Ok(date)
        };
        let date = self.date.value().cloned().map_or(Ok(today), day).map_err(Issues::from);
        let date = issues.collect("date", date);
        let place = ClosedPlace::of(
            self.business_premise_name.value().cloned(),
            self.electronic_device_name.value().cloned(),
        );
        let place = issues.note(place);
        let amount = |amount: &Decimal| cash(amount, currency);
        let opening = self.opening_cash.value().map_or(Ok(Decimal::zero()), amount);
        let opening_cash = issues.collect("opening_cash", opening);
        let missing = || Err(required("say what was counted in the drawer; 0 when nothing").into());
        let counted_cash =
            issues.collect("counted_cash", self.counted_cash.value().map_or_else(missing, amount));
        let note = self.note.value().cloned();
        let note = note.map(|note| text(note, MAX_CLOSING_NOTE_CHARS)).transpose();
        let note = issues.collect("note", note);
        match (date, place, opening_cash, counted_cash, note) {
            (Some(date), Some(place), Some(opening_cash), Some(counted_cash), Some(note)) => {
                issues.into_result(Count { date, place, opening_cash, counted_cash, note })
            }
            _ => Err(issues),
        }
    }
}

/// An amount of cash that can lie in a drawer.
fn cash(amount: &Decimal, currency: Currency) -> Result<Decimal, Issues> {
    if amount.is_negative() {
        let message = "a drawer holds 0 or more; send what was counted";
        return Err(Issue::new("out_of_range", message).into());
    }
    currency.check(amount)?;
    Ok(amount.clone())
}

/// What came to closed days since the closing before this one: what their reports have now less
/// what the place's closings covered of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedOver {
    /// The sum of `days`, with the closing before this one and its day.
    #[serde(flatten)]
    pub sum: CarriedDay,
    /// What came to each day that changed, by date. Closings of earlier versions have none: theirs
    /// is the day of the closing before.
    #[serde(default)]
    pub days: Vec<CarriedDay>,
}

/// What came to one closed day, or to several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedDay {
    /// The closing of the day.
    pub closing_id: PosClosingId,
    /// The day.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date: Date,
    /// Invoices.
    pub invoices: Decimal,
    /// Their gross.
    pub gross: Decimal,
    /// What [`Takings::turnover`] has more: gross less what was given back and voided.
    pub turnover: Decimal,
    /// Money that moved, in less out; only types of which any did.
    pub net_by_payment_type: Vec<MoneyOfKind>,
    /// Of that and of tips, notes and coins.
    pub cash: Decimal,
}

/// A closed day that may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedDay {
    /// Its closing.
    pub closing: Closing,
    /// What later closings of the place carried over of it.
    pub carried: Vec<CarriedDay>,
    /// Its report as it is now.
    pub now: Takings,
}

impl CarriedOver {
    /// What `days` have more than closings covered of them, for the closing after `last`; nothing
    /// when they agree. A day whose report is in another currency than its closing is left out.
    #[must_use]
    pub fn since(last: &Closing, days: &[ClosedDay]) -> Option<Self> {
        let mut days: Vec<CarriedDay> = days.iter().filter_map(ClosedDay::missed).collect();
        days.sort_by_key(|day| day.date);
        if days.is_empty() {
            return None;
        }
        let mut sum = CarriedDay::nothing(last.id, last.date);
        days.iter().for_each(|day| sum.add(day, &Decimal::from(1)));
        Some(Self { sum, days })
    }

    /// By day.
    #[must_use]
    pub fn into_days(self) -> Vec<CarriedDay> {
        if self.days.is_empty() { vec![self.sum] } else { self.days }
    }
}

impl ClosedDay {
    /// What the day has now and no closing covered.
    fn missed(&self) -> Option<CarriedDay> {
        let Self { closing, carried, now } = self;
        if now.currency != closing.report.currency {
            return None;
        }
        let less = Decimal::from(-1);
        let mut missed = CarriedDay::all_of(closing.id, now);
        missed.add(&CarriedDay::all_of(closing.id, &closing.report), &less);
        carried.iter().for_each(|day| missed.add(day, &less));
        (!missed.is_nothing()).then_some(missed)
    }
}

impl CarriedDay {
    fn nothing(closing_id: PosClosingId, date: Date) -> Self {
        Self {
            closing_id,
            date,
            invoices: Decimal::zero(),
            gross: Decimal::zero(),
            turnover: Decimal::zero(),
            net_by_payment_type: Vec::new(),
            cash: Decimal::zero(),
        }
    }

    /// All of `report`, whose day `closing_id` closed.
    fn all_of(closing_id: PosClosingId, report: &Takings) -> Self {
        Self {
            closing_id,
            date: report.date,
            invoices: report.totals.invoices.clone(),
            gross: report.totals.gross.clone(),
            turnover: report.turnover(),
            net_by_payment_type: report.net_by_payment_type.clone(),
            cash: report.cash(),
        }
    }

    /// Adds `times` the figures of `other`.
    fn add(&mut self, other: &Self, times: &Decimal) {
        self.invoices += &(&other.invoices * times);
        self.gross += &(&other.gross * times);
        self.turnover += &(&other.turnover * times);
        self.cash += &(&other.cash * times);
        for MoneyOfKind { kind, total } in &other.net_by_payment_type {
            let total = total * times;
            match self.net_by_payment_type.iter_mut().find(|money| money.kind == *kind) {
                Some(money) => money.total += &total,
                None => self.net_by_payment_type.push(MoneyOfKind { kind: kind.clone(), total }),
            }
        }
        self.net_by_payment_type.retain(|money| !money.total.is_zero());
        self.net_by_payment_type.sort_by(|a, b| a.kind.cmp(&b.kind));
    }

    fn is_nothing(&self) -> bool {
        *self == Self::nothing(self.closing_id, self.date)
    }
}

/// The closing of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// Its id.
    pub id: PosClosingId,
    /// Whose.
    pub entity_id: EntityId,
    /// Its place among the closings of its place: 1, 2, 3.
    pub number: i64,
    /// The day.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date: Date,
    /// What was closed.
    pub place: ClosedPlace,
    /// What the previous closing left in the drawer.
    pub opening_cash: Decimal,
    /// What came to closed days since the previous closing.
    pub carried_over: Option<CarriedOver>,
    /// `opening_cash`, the cash that was carried over, and the cash of the day, tips included.
    pub expected_cash: Decimal,
    /// What was in the drawer.
    pub counted_cash: Decimal,
    /// `counted_cash` less `expected_cash`: below zero when something is missing.
    pub difference: Decimal,
    /// The caller's note.
    pub note: Option<String>,
    /// The day's report, as it was.
    pub report: Takings,
    /// The person who closed; none for a key.
    pub closed_by_user_id: Option<UserId>,
    /// Their name, or their e-mail address when they gave none.
    pub closed_by: Option<String>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub closed_at: OffsetDateTime,
}

impl Closing {
    /// Closes a day as its place's closing number `number`, and says what happened. `report` is the
    /// day's, and `carried_over` what came to the place's closed days since its last closing.
    #[must_use]
    pub fn draw_up(
        count: Count,
        report: Takings,
        carried_over: Option<CarriedOver>,
        number: i64,
        person: Option<&Person>,
        actor: &Actor,
    ) -> (Self, Vec<Event>) {
        let Count { date, place, opening_cash, counted_cash, note } = count;
        let carried = carried_over.as_ref().map_or_else(Decimal::zero, |it| it.sum.cash.clone());
        let expected_cash = &(&opening_cash + &carried) + &report.cash();
        let closing = Self {
            id: actor.stamp().id(),
            entity_id: actor.entity_id(),
            number,
            date,
            place,
            opening_cash,
            carried_over,
            difference: &counted_cash - &expected_cash,
            expected_cash,
            counted_cash,
            note,
            report,
            closed_by_user_id: actor.user_id(),
            closed_by: person
                .map(|person| person.name.clone().unwrap_or_else(|| person.email.clone())),
            closed_at: actor.now(),
        };
        let events = vec![actor.event(events::pos_closing::CREATED, closing.id)];
        (closing, events)
    }
}

racun_store::record! {
    /// Where closings are kept. By the hidden `day_key` no day of a place is closed twice.
    pub static CLOSINGS: Closing = "pos_closings";
    |closing|
    id: closing.id,
    tenant: Tenant::entity(closing.entity_id),
    fields: {
        Field::id() => closing.id,
        Field::number("number") => closing.number,
        Field::date("date").indexed() => closing.date,
        Field::text(PREMISE) => closing.place.premise,
        Field::text(DEVICE) => closing.place.device,
        Field::number("opening_cash") => closing.opening_cash,
        Field::number("expected_cash") => closing.expected_cash,
        Field::number("counted_cash") => closing.counted_cash,
        Field::number("difference") => closing.difference,
        Field::text("note").searched() => closing.note,
        Field::text("closed_by_user_id") => closing.closed_by_user_id,
        Field::text("closed_by").searched() => closing.closed_by,
        Field::instant("created_at") => closing.closed_at,
        Field::text("day_key").unique(Unique::Tenant).hidden()
            => closing.place.day_key(closing.date),
        Field::text("place_key").indexed().hidden() => closing.place.key(),
    }
}
