//! Racun's HTTP interface.
//!
//! | Module     | Owns                                                                   |
//! | ---------- | ---------------------------------------------------------------------- |
//! | `server`   | the application, and the server that runs and ends it                  |
//! | `routes`   | the one table of routes                                                |
//! | `route`    | how a route is declared: path, gate, bodies, handler                   |
//! | `gate`     | who makes a request, where, and whether they may                       |
//! | `auth_cache` | which entities keys entered, until one of the rows read changes      |
//! | `prefetch` | what the gate will read, guessed and read at once                      |
//! | `frame`    | what every answer carries; where answers are logged                    |
//! | `security` | security events, and the line of the log that tells of each            |
//! | `limits`   | how many requests are answered in a minute                             |
//! | `connection` | connections, and that each of them ends                              |
//! | `idempotency` | requests with a key are carried out once                            |
//! | `rehearsal` | all issues of a body in one answer                                   |
//! | `error`    | the one catalogue of statuses and codes                                |
//! | `body_limit` | how many bytes the body of each route may hold                     |
//! | `header`   | headers that choose or name something                                  |
//! | `request`  | reading path, query string and body                                    |
//! | `answer`   | answers other than a plain 200                                         |
//! | `warning`  | what is odd in what was taken                                          |
//! | `body`     | how bodies are declared and converted                                  |
//! | `request_log` | the log of requests, noted when an answer is ready                  |
//! | `call`     | a request in an entity: services, scope and one stamp                  |
//! | `process`  | what the process is; use cases that outlive their connection           |
//! | `caller`   | for whom a request acts, as the gate found out                         |
//! | `schema`   | how routes name the schemas of their bodies                            |
//! | `scalar`   | days and instants in bodies                                            |
//! | `examples` | what each operation may be sent                                        |
//! | `openapi`  | the description, made from the routes                                  |
//! | `docs`     | the description, served; the page that `/` shows                       |
//! | `deprecation` | what belongs to the past, and until when it is served               |
//! | `cors`     | which pages of other origins may ask                                   |
//! | `health`   | liveness and readiness                                                 |
//! | `html`     | what pages may load, and that nothing keeps or indexes them            |
//! | `access`   | users, entities, members, invitations, keys                            |
//! | `billing`  | white labels, subscriptions, and what plans leave out                   |
//! | `mail`     | sending documents and reminders; documents behind links                |
//! | `pages`    | pages for people who follow a link in a mail                            |
//! | `documents` | all five kinds of documents, links between them, their lines           |
//! | `payments` | payments                                                               |
//! | `expenses` | expenses                                                               |
//! | `pos`      | tables and tabs of the point of sale                                   |
//! | `fiscal`   | settings, certificates, premises and devices of fiscalization          |
//! | `recurring` | recurring invoices                                                    |
//! | `reports`  | statistics, tax reports, what customers owe                            |
//! | `transaction_type` | what kind of sale two parties would have, by VIES              |
//! | `sandbox`  | the test clock                                                         |
//! | `catalog`  | customers, suppliers, items, taxes, financial categories, units        |
//! | `webhooks` | endpoints, the log of deliveries, replay; both generations             |
//!
//! **Layers.** Modules build upon each other in one direction, and each stands above all that it
//! uses. At the bottom is what says how a route is declared (`schema`, `security`, `route`), then
//! `error`; then what reads requests within limits and writes answers (`limits`, `request`,
//! `answer`, `call`); then the areas; then `routes`, which lists all of theirs; and above it what
//! needs the whole table: `openapi`, `idempotency`, `gate`, `server`.
//!
//! **Invariants.** What is served, who may use it and what the description says follow from one
//! table. Handlers parse, call one use case and render; bodies are types of this crate. Every
//! answer carries its request's id. What changes state runs to its end even when the client hangs
//! up.

mod access;
mod activities;
mod answer;
mod auth_cache;
mod billing;
mod body;
mod body_limit;
mod call;
mod caller;
mod card_processor;
mod cards;
mod catalog;
mod connection;
mod cors;
pub mod deprecation;
mod docs;
mod documents;
mod e_invoices;
mod e_invoicing;
pub mod error;
mod examples;
mod expenses;
mod exports;
mod fiscal;
mod frame;
mod gate;
mod guards;
mod header;
mod health;
mod html;
mod idempotency;
mod jobs;
mod limits;
mod lookups;
mod mail;
mod openapi;
mod orders;
mod pages;
mod paper;
mod payments;
mod places;
mod pos;
mod prefetch;
mod process;
mod recurring;
mod rehearsal;
mod reports;
mod request;
mod request_log;
mod route;
mod routes;
mod sandbox;
mod scalar;
mod schema;
mod security;
mod server;
mod storage;
mod transaction_type;
mod warning;
mod webhooks;

pub use connection::ConnectionLimits;
pub use cors::{InvalidOrigins, Origins};
pub use guards::{Guards, SignUpMode};
pub use health::health_at;
pub use limits::{
    InvalidNetwork, Network, RateLimitOptions, RateLimiter, RequestLimits, Room, Shares,
};
pub use openapi::{VERSION, openapi, openapi_3_0};
pub use process::Process;
pub use request_log::RequestLog;
pub use route::{Gate, Parameter, ParameterKind, Rate, Route, Verb};
pub use routes::routes;
pub use security::{SECURITY_LOG, SecurityEvent};
pub use server::{Http, Options, app, run};
pub use storage::Reserves;
pub use webhooks::Resources;
