//! The introduction, and the areas with what they are for.

use serde_json::{Value as Json, json};

use super::VERSION;
use crate::route::Route;

/// The introduction for new readers.
const INTRODUCTION: &str = include_str!("introduction.md");

/// The areas in the order in which they are shown: what everybody needs comes first.
const TAGS: [(&str, &str); 55] = [
    ("Users", "Signing up, logging in, one's own data, forgotten passwords."),
    ("Entities", "Whoever issues documents: their data, settings, country and environment."),
    ("Accounts", "The account, which owns entities: what it stores, and may store."),
    ("Account API keys", "Keys that reach all entities of an account in one environment."),
    ("Entity API keys", "Keys that reach one entity."),
    ("Entity users", "Who belongs to an entity, in which role."),
    ("Entity invitations", "Invitations to join an entity."),
    ("Customers", "To whom documents are issued."),
    ("Items", "What is sold, with its price and taxes."),
    ("Taxes", "Rates of taxes, and from when they hold."),
    ("Financial categories", "Where lines are booked."),
    ("Business units", "Parts of an entity with an address, texts and numbers of their own."),
    ("Invoices", "Drafts, issued and voided invoices, and their versions."),
    ("Estimates", "Offers and proforma invoices, which customers accept or reject."),
    ("Credit notes", "What is given back of invoices."),
    ("Advance invoices", "What is paid in advance, and settles later invoices."),
    ("Delivery notes", "What was handed over, with or without prices."),
    (
        "Documents",
        "What all kinds of documents have in common: drafts, numbers, links, calculation.",
    ),
    ("Payments", "What was paid, on which document."),
    ("Recurring invoices", "Schedules that make invoices."),
    ("E-mail", "Sending documents and reminders."),
    ("Shared documents", "Documents behind a link, for anyone who has it."),
    ("Suppliers", "From whom expenses come."),
    ("Expenses", "Received invoices, and what was paid on them."),
    ("Exports", "Records as XLSX and CSV, and documents as PDF or e-SLOG in an archive."),
    ("Files", "Logos, signatures and attachments."),
    ("Point of sale", "Tables, tabs, operators of tills, and a day's takings."),
    ("Transaction type", "What kind of sale it is for VAT, by the parties' countries and numbers."),
    ("Currency", "Rates of exchange of the European Central Bank."),
    ("Company registry", "Companies of the public registers that the operator imported."),
    ("Tax rate estimates", "Estimated rates of sales tax in the United States."),
    ("Orders", "Orders of shops, and the documents that they become."),
    ("Order integrations", "Sources of orders, and the rules for their documents."),
    ("Payment app", "An entity's account at the card processor, and invoices of what it took."),
    ("VIES", "The same by its earlier path. Deprecated: use Transaction type."),
    ("FURS", "Fiscalization in Slovenia: settings, certificate, premises and devices."),
    ("FINA", "Fiscalization in Croatia: settings, certificate, premises and devices."),
    ("Portugal", "Certified invoicing in Portugal: series, who calls the authority, SAF-T."),
    ("e-SLOG and UJP", "Electronic invoices in Slovenia: checks and files."),
    ("E-invoicing", "Sending electronic invoices over the network, and who receives them."),
    ("Webhooks", "Where an entity's events are posted to, and what became of them."),
    ("Account webhooks", "The same for all entities of an account."),
    ("Entity stats", "Counts and sums of records, by groups."),
    ("Tax reports", "VAT by rate; books, yearly figures and ledgers of Slovenia."),
    ("Receivables", "What customers owe, by age and as statements."),
    ("Revenue recognition", "Revenue and cost over the days of a service."),
    ("Activities", "What happened in an entity, and who did it."),
    ("Request logs", "What callers sent to an entity, and what they were answered."),
    ("White labels", "Brands under which the service is sold, and their plans."),
    ("White-label subscriptions", "An entity's plan: what it allows, and what was used."),
    ("Jobs", "What is still to be done for an entity, and what was given up."),
    ("Sandbox", "The clock of entities in the sandbox."),
    ("Health", "How the service is, for monitoring."),
    ("Description", "This description, for programs."),
    ("Pages", "Pages for people, to which links in mails lead."),
];

/// Of the earlier generation; it stands last.
const EARLIER: (&str, &str) =
    ("Webhooks (earlier generation)", "Webhooks under `/v1`. Deprecated: use Webhooks.");

/// Title, version, licence and introduction.
pub(super) fn info() -> Json {
    json!({
        "title": "Racun",
        "version": VERSION,
        "summary": "Invoicing, payments, point of sale and fiscalization.",
        "description": INTRODUCTION,
        "contact": { "name": "Whoever runs this server" },
        "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
    })
}

/// The areas of `routes`; an undescribed one comes last.
pub(super) fn tags(routes: &[&Route]) -> Vec<Json> {
    let known = TAGS.iter().chain([&EARLIER]);
    let is_used = |name: &str| routes.iter().any(|route| route.tag == name);
    let mut tags: Vec<Json> = known
        .clone()
        .filter(|(name, _)| is_used(name))
        .map(|(name, meaning)| json!({ "name": name, "description": meaning }))
        .collect();
    for route in routes {
        if !tags.iter().any(|tag| tag["name"] == route.tag) {
            tags.push(json!({ "name": route.tag }));
        }
    }
    tags
}
