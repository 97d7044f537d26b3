//! From a request and what it names to a document's content: parties, unit, texts, dates, currency.

use racun_access::{Entity, Key, setting};
use racun_catalog::BusinessUnit;
use racun_documents::{
    Content, DocumentError, DocumentKind, EInvoiceOptions, NewLine, Party, TaxTreatment, Texts,
    TransactionType, UnitSnapshot,
};
use racun_kernel::{BankAccount, Currency, ExchangeRate, Issue, Issues, Patch, Stamp};
use time::{Date, Duration};

use super::buyer::{check_on_document, customer, party_of_customer, sold_as};
use super::gather::{ResolvedReferences, unit_id};
use super::lines::{self, LineRules};
use super::request::{DocumentRequest, ExchangeRateRequest, UnitRequest};
use super::texts::default_texts;
use crate::einvoicing::Policy;
use crate::vat::{document_data, treatment};

/// The content of a new document, its lines apart; what is wrong goes to `issues`, and is left out.
pub(super) fn compose(
    kind: DocumentKind,
    request: &DocumentRequest,
    gathered: &ResolvedReferences,
    stamp: &Stamp,
    issues: &mut Issues,
) -> (Content, Vec<NewLine>) {
    let entity = &gathered.entity;
    let date = request.date.unwrap_or(gathered.today);
    let customer_id = check_customer_id(request, gathered, issues);
    let customer = customer(request, gathered.customer.as_ref().map(party_of_customer));
    let unit = unit(request, gathered, None, issues);
    let (currency, exchange_rate) = money(request, gathered, date, None, issues);
    let check = gathered.check_of(customer.as_ref());
    let treatment = treatment(entity, customer.as_ref(), check);
    let rules = line_rules(gathered, date, treatment);
    let asked = request.items.as_deref().unwrap_or_default();
    let lines = lines::resolve(asked, &request.category_assignments, &rules, issues);
    let defaults = default_texts(kind, entity, unit.as_ref(), treatment.transaction_type);
    let texts = Texts::of_new(request.texts.clone(), defaults.texts.clone());
    let given = request.translations.clone().unwrap_or_default();
    let content = Content {
        date,
        date_due: match request.date_due {
            Patch::Absent => default_due(kind, entity, date),
            Patch::Null => None,
            Patch::Value(date) => Some(date),
        },
        date_valid_till: match request.date_valid_till {
            Patch::Absent => default_valid_till(kind, entity, date),
            Patch::Null => None,
            Patch::Value(date) => Some(date),
        },
        title_type: request.title_type.unwrap_or_default(),
        hide_prices: kind == DocumentKind::DeliveryNote
            && request.hide_prices.unwrap_or_else(|| default_hide_prices(entity, unit.as_ref())),
        date_service: request.date_service.value().copied(),
        date_service_to: request.date_service_to.value().copied(),
        issuer: request.issuer.clone().unwrap_or_default().onto(party_of_entity(entity)),
        customer_id,
        vies: document_data(treatment, customer.as_ref(), check, stamp),
        customer,
        business_unit_id: gathered.unit.as_ref().map(|unit| unit.id),
        business_unit: unit,
        translations: defaults.translations_of(&texts, given),
        texts,
        currency,
        exchange_rate,
        transaction_type: treatment.transaction_type,
        reference: request.reference.value().filter(|text| !text.is_empty()).cloned(),
        metadata: request.metadata.value().cloned().unwrap_or_default(),
        e_invoices: options(kind, entity, request, issues),
        lines: Vec::new(),
    };
    (content, lines)
}

/// `made`, unless something was wrong before: then all that is.
pub(super) fn all_told<T>(
    issues: Issues,
    made: Result<T, DocumentError>,
) -> Result<T, DocumentError> {
    match made {
        Ok(made) => Ok(issues.into_result(made)?),
        Err(error) => Err(told_with(issues, error)),
    }
}

/// `error` with `issues` that were found before it.
pub(super) fn told_with(mut issues: Issues, error: DocumentError) -> DocumentError {
    match error {
        error if issues.is_empty() => error,
        DocumentError::Invalid(further) => {
            issues.extend_elsewhere(&further);
            issues.into()
        }
        _ => issues.into(),
    }
}

/// `before` with what an update says; what is wrong goes to `issues`, and is left out. Lines are
/// answered when they have to be recalculated.
pub(super) fn recompose(
    kind: DocumentKind,
    before: &Content,
    request: &DocumentRequest,
    gathered: &ResolvedReferences,
    stamp: &Stamp,
    issues: &mut Issues,
) -> (Content, Option<Vec<NewLine>>) {
    let entity = &gathered.entity;
    let mut content = before.clone();
    content.date = request.date.unwrap_or(before.date);
    request.date_due.apply(&mut content.date_due);
    request.date_valid_till.apply(&mut content.date_valid_till);
    content.title_type = request.title_type.unwrap_or(content.title_type);
    content.hide_prices = request.hide_prices.unwrap_or(content.hide_prices);
    request.date_service.apply(&mut content.date_service);
    request.date_service_to.apply(&mut content.date_service_to);
    request.reference.clone().apply(&mut content.reference);
    request.metadata.clone().apply_or(&mut content.metadata, racun_kernel::Metadata::default());
    content.texts = content.texts.updated(request.texts.clone());
    match &request.translations {
        Some(translations) => content.translations = translations.clone(),
        None => {
            let unit = before.business_unit.as_ref();
            let defaults = default_texts(kind, entity, unit, before.transaction_type);
            defaults.forget(&before.texts, &mut content);
        }
    }
    content.e_invoices = content.e_invoices.with(options(kind, entity, request, issues));
    if let Some(issuer) = &request.issuer {
        content.issuer = issuer.clone().onto(content.issuer);
    }
    if !request.customer_id.is_absent() {
        content.customer_id = check_customer_id(request, gathered, issues);
        content.customer = gathered.customer.as_ref().map(party_of_customer);
    }
    content.customer = customer(request, content.customer);
    if !request.business_unit_id.is_absent() || request.business_unit.is_some() {
        let kept = before.business_unit.clone().filter(|_| request.business_unit_id.is_absent());
        content.business_unit = unit(request, gathered, kept, issues);
        content.business_unit_id =
            content.business_unit.as_ref().and_then(|unit| unit.id.parse().ok());
    }
    let (currency, exchange_rate) = money(request, gathered, content.date, Some(before), issues);
    (content.currency, content.exchange_rate) = (currency, exchange_rate);
    let customer = content.customer.as_ref();
    let is_same_customer = content.customer == before.customer;
    let known = before.vies.as_ref().filter(|_| is_same_customer).map(check_on_document);
    let check = known.as_ref().or_else(|| gathered.check_of(customer));
    let treatment = treatment(entity, customer, check);
    if !is_same_customer {
        let vies = document_data(treatment, customer, check, stamp);
        if request.texts.tax_clause.is_absent() {
            sold_as(kind, entity, &mut content, treatment.transaction_type);
        }
        content.transaction_type = treatment.transaction_type;
        content.vies = vies;
    }
    let rules = line_rules(gathered, content.date, treatment);
    let lines = if let Some(asked) = &request.items {
        Some(lines::resolve(asked, &request.category_assignments, &rules, issues))
    } else if content.date != before.date && has_dated_taxes(before) {
        Some(before.lines.iter().map(|line| rules.redated(line.again())).collect())
    } else {
        None
    };
    (content, lines)
}

/// What the request wants of electronic invoices; what cannot be goes to `issues`.
fn options(
    kind: DocumentKind,
    entity: &Entity,
    request: &DocumentRequest,
    issues: &mut Issues,
) -> EInvoiceOptions {
    if !request.e_invoices.validation.is_empty() {
        let refused = Policy::of(entity).refused(kind, &request.e_invoices);
        refused.iter().for_each(|issue| issues.push(issue.clone()));
    }
    request.e_invoices.clone()
}

/// Whether a line's rate follows from the date of the document.
pub(super) fn has_dated_taxes(content: &Content) -> bool {
    content.lines.iter().flat_map(|line| &line.taxes).any(|tax| tax.tax_id.is_some())
}

fn line_rules<'a>(
    gathered: &'a ResolvedReferences,
    date: Date,
    treatment: TaxTreatment,
) -> LineRules<'a> {
    let on = |rule: Key<bool>| gathered.entity.settings.get(rule).unwrap_or(false);
    let third_country = matches!(
        treatment.transaction_type,
        TransactionType::ThirdCountryB2b | TransactionType::ThirdCountryB2c
    );
    LineRules {
        entity: &gathered.entity,
        records: &gathered.records,
        date,
        reverse_charge: treatment.reverse_charge_applies && on(setting::AUTO_REVERSE_CHARGE),
        untaxed: third_country && on(setting::AUTO_REMOVE_TAX_EXPORT),
        gross_only: on(setting::REQUIRE_GROSS_PRICES),
    }
}

fn check_customer_id(
    request: &DocumentRequest,
    gathered: &ResolvedReferences,
    issues: &mut Issues,
) -> Option<racun_kernel::id::CustomerId> {
    if request.customer_id.value().is_some() && gathered.customer.is_none() {
        let message = "there is no such customer in this entity; create it, or send customer";
        issues.push(Issue::new("not_found", message).at("customer_id"));
    }
    gathered.customer.as_ref().map(|customer| customer.id)
}

fn unit(
    request: &DocumentRequest,
    gathered: &ResolvedReferences,
    kept: Option<UnitSnapshot>,
    issues: &mut Issues,
) -> Option<UnitSnapshot> {
    let base = gathered.unit.as_ref().map(snapshot_of_unit).or(kept);
    if base.is_none() && unit_id(request).is_some() {
        let message = "there is no such business unit in this entity";
        issues.push(Issue::new("not_found", message).at("business_unit_id"));
        return None;
    }
    let Some(UnitRequest { fields, .. }) = &request.business_unit else { return base };
    let Some(base) = base else {
        let message = "say which unit: send business_unit_id, or business_unit.id";
        issues.push(Issue::new("required", message).at("business_unit_id"));
        return None;
    };
    Some(overlay(base, fields.clone()))
}

fn overlay(base: UnitSnapshot, over: UnitSnapshot) -> UnitSnapshot {
    let mut settings = base.settings;
    settings.extend(over.settings);
    UnitSnapshot {
        id: base.id,
        name: if over.name.is_empty() { base.name } else { over.name },
        settings,
        address: over.address.or(base.address),
        address_2: over.address_2.or(base.address_2),
        post_code: over.post_code.or(base.post_code),
        city: over.city.or(base.city),
        state: over.state.or(base.state),
        country: over.country.or(base.country),
        country_code: over.country_code.or(base.country_code),
        email: over.email.or(base.email),
        phone: over.phone.or(base.phone),
        website: over.website.or(base.website),
        logo_url: over.logo_url.or(base.logo_url),
        signature_url: over.signature_url.or(base.signature_url),
    }
}

/// The document's currency, and the rate into the entity's when that is another.
fn money(
    request: &DocumentRequest,
    gathered: &ResolvedReferences,
    date: Date,
    before: Option<&Content>,
    issues: &mut Issues,
) -> (Currency, Option<ExchangeRate>) {
    let asked = CurrencyRequest {
        code: request.currency_code.as_deref(),
        rate: &request.exchange_rate,
        found: gathered.rate.as_ref(),
    };
    let before = before.map(|content| (content.currency, content.exchange_rate.clone()));
    asked.resolve(&gathered.entity, date, before, issues)
}

/// What a request says of currency and rate.
pub(crate) struct CurrencyRequest<'a> {
    /// Code of the currency; the present one or the entity's when missing.
    pub code: Option<&'a str>,
    /// Rate into the entity's currency.
    pub rate: &'a Patch<ExchangeRateRequest>,
    /// The rate that was found for it, where it says none.
    pub found: Option<&'a ExchangeRate>,
}

impl CurrencyRequest<'_> {
    /// The currency, and the rate into the entity's when that is another; `before` is what they
    /// were.
    pub fn resolve(
        &self,
        entity: &Entity,
        date: Date,
        before: Option<(Currency, Option<ExchangeRate>)>,
        issues: &mut Issues,
    ) -> (Currency, Option<ExchangeRate>) {
        let default = before.as_ref().map_or(entity.currency, |(currency, _)| *currency);
        let currency = match self.code.map(str::parse::<Currency>) {
            None => default,
            Some(Ok(currency)) => currency,
            Some(Err(error)) => {
                issues.push(Issue::new("invalid_currency", error.to_string()).at("currency_code"));
                default
            }
        };
        if currency == entity.currency {
            return (currency, None);
        }
        let other = |code: &str| !code.eq_ignore_ascii_case(entity.currency.code());
        let quote = self.rate.value().and_then(|rate| rate.quote_currency.as_deref());
        if quote.is_some_and(other) {
            let message = format!("the rate is into the entity's currency, {}", entity.currency);
            let issue = Issue::new("invalid_currency", message);
            issues.push(issue.at("quote_currency").at("exchange_rate"));
        }
        let exchange = match self.rate {
            Patch::Absent => self.found.cloned().or_else(|| {
                before.filter(|(kept, _)| *kept == currency).and_then(|(_, rate)| rate)
            }),
            Patch::Null => None,
            Patch::Value(sent) => Some(ExchangeRate {
                rate: sent.rate.clone(),
                source: sent.source.clone().unwrap_or_else(|| "manual".to_owned()),
                date: sent.date.unwrap_or(date),
                quote_currency: entity.currency,
            }),
        };
        (currency, exchange)
    }
}

fn default_due(kind: DocumentKind, entity: &Entity, date: Date) -> Option<Date> {
    let days = i64::from(entity.settings.default_invoice_due_days());
    (kind == DocumentKind::Invoice).then(|| date.checked_add(Duration::days(days)))?
}

fn default_valid_till(kind: DocumentKind, entity: &Entity, date: Date) -> Option<Date> {
    let days = i64::from(entity.settings.default_estimate_valid_days());
    (kind == DocumentKind::Estimate).then(|| date.checked_add(Duration::days(days)))?
}

/// Whether delivery notes hide prices: the unit's setting, else the entity's, else not.
fn default_hide_prices(entity: &Entity, unit: Option<&UnitSnapshot>) -> bool {
    let key = setting::DELIVERY_NOTE_HIDE_PRICES;
    let of_unit = unit.and_then(|unit| key.of(&unit.settings));
    of_unit.or_else(|| entity.settings.get(key)).unwrap_or(false)
}

fn party_of_entity(entity: &Entity) -> Party {
    let accounts: Vec<BankAccount> = entity
        .settings
        .bank_accounts()
        .into_iter()
        .filter_map(|account| serde_json::from_value(account).ok())
        .collect();
    let default = accounts.iter().find(|account| account.is_default == Some(true));
    let bank_account = default.or(accounts.first()).cloned();
    Party {
        name: Some(entity.name.clone()),
        email: entity.email.clone(),
        tax_number: entity.tax_number.clone(),
        tax_number_2: entity.tax_number_2.clone(),
        company_number: entity.company_number.clone(),
        phone: entity.phone.clone(),
        bank_accounts: (!accounts.is_empty()).then_some(accounts),
        bank_account: bank_account.map(|account| BankAccount { is_default: None, ..account }),
        ..Party::default()
    }
    .with_postal_address(entity.postal_address())
}

fn snapshot_of_unit(unit: &BusinessUnit) -> UnitSnapshot {
    UnitSnapshot {
        id: unit.id.to_string(),
        name: unit.name.clone(),
        settings: unit.settings.clone(),
        email: unit.email.clone(),
        phone: unit.phone.clone(),
        website: unit.website.clone(),
        ..UnitSnapshot::default()
    }
    .with_postal_address(unit.postal_address())
}
