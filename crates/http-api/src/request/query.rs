//! The query string.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use racun_kernel::spelling::suggestion;
use racun_kernel::{Environment, Issue, Issues};
use racun_store::RawQuery;

use super::unknown;
use crate::error::ApiError;
use crate::route::Route;

/// Parameters of a query string. A list with all of its parameters has about fifteen.
const MOST: usize = 100;

/// The parts of `filter` that the earlier generation writes in brackets, beside `filter` as JSON.
pub(crate) const FILTER: [&str; 4] =
    ["filter[limit]", "filter[skip]", "filter[offset]", "filter[order]"];

/// The part of `sent` to look for among `known` names: the whole, or what stands before brackets.
fn meant<'a>(sent: &'a str, known: &[&str]) -> &'a str {
    match suggestion(sent, known) {
        Some(_) => sent,
        None => sent.split('[').next().unwrap_or_default(),
    }
}

/// A request's query parameters. The gate refuses those that the route does not declare.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a query string.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let pairs = web::Query::<Vec<(String, String)>>::from_query(text);
        Self(pairs.map(web::Query::into_inner).unwrap_or_default())
    }

    /// Refuses parameters that `route` does not declare. Links in mails and on pages are let
    /// through: mail programs and campaigns append parameters of their own to them.
    ///
    /// # Errors
    /// One issue for each unknown name; one alone when there are more than 100 parameters.
    pub fn check(&self, route: &Route) -> Result<(), ApiError> {
        if self.0.is_empty() || route.is_linked {
            return Ok(());
        }
        if self.0.len() > MOST {
            let message = format!("send at most {MOST} query parameters");
            return Err(ApiError::bad_request(message));
        }
        let declared = || route.parameters.into_iter().flatten().map(|it| it.name);
        let bracketed: &[&str] =
            if declared().any(|name| name == "filter") { &FILTER } else { &[] };
        let known: Vec<&str> = declared().chain(bracketed.iter().copied()).collect();
        let mut issues = Issues::default();
        for (n, (sent, _)) in self.0.iter().enumerate() {
            let is_told = self.0[..n].iter().any(|(before, _)| before == sent);
            if !known.contains(&sent.as_str()) && !is_told {
                let message = unknown("query parameter", meant(sent, &known), &known);
                issues.push(Issue::new("unknown_parameter", message).at(sent.as_str()));
            }
        }
        issues.into_result(()).map_err(ApiError::from)
    }

    /// The value of `name`, or `None` when it was not sent.
    ///
    /// # Errors
    /// When it was sent more than once.
    pub fn one<'a>(&'a self, name: &'a str) -> Result<Option<&'a str>, ApiError> {
        let mut values = self.all(name);
        let first = values.next();
        if values.next().is_some() {
            let message = "send this parameter once";
            return Err(Issue::new("repeated_parameter", message).at(name).into());
        }
        Ok(first)
    }

    /// The value of `name` as a flag; false when it was not sent.
    ///
    /// # Errors
    /// When it is neither `true` nor `false`.
    pub fn flag(&self, name: &str) -> Result<bool, ApiError> {
        match self.one(name)? {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Issue::new("invalid_type", "expected true or false").at(name).into()),
        }
    }

    /// The environment that it names, or `None` when it names none.
    ///
    /// # Errors
    /// When it was sent more than once, or is none of both.
    pub fn environment(&self) -> Result<Option<Environment>, ApiError> {
        let Some(text) = self.one("environment")? else { return Ok(None) };
        let all = [Environment::Live, Environment::Sandbox];
        let found = all.into_iter().find(|environment| environment.name() == text);
        let unknown = || Issue::new("invalid_value", "expected live or sandbox").at("environment");
        Ok(Some(found.ok_or_else(unknown)?))
    }

    /// The parameters that every list has.
    ///
    /// # Errors
    /// When one that counts once was sent more than once.
    pub fn list(&self) -> Result<RawQuery, ApiError> {
        let one = |name| self.one(name).map(|value| value.map(str::to_owned));
        Ok(RawQuery {
            limit: one("limit")?,
            next_cursor: one("next_cursor")?,
            prev_cursor: one("prev_cursor")?,
            include_total_count: one("include_total_count")?,
            order_by: self.all("order_by").map(str::to_owned).collect(),
            query: one("query")?,
            search: one("search")?,
            deleted: one("deleted")?,
        })
    }

    /// All of them, in their order.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl FromRequest for Query {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::parse(request.query_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_by_repeats_and_the_rest_counts_once() {
        let query =
            Query::parse("order_by=name&order_by=-id,created_at&limit=5&q=%C5%BDar&unknown=1");
        let list = query.list().unwrap();
        assert_eq!(list.order_by, ["name", "-id,created_at"]);
        assert_eq!(list.limit.as_deref(), Some("5"));
        assert_eq!(query.one("q").unwrap(), Some("Žar"));
        let refused = Query::parse("limit=5&limit=6").list().unwrap_err();
        assert_eq!(refused.body()["cause"]["issues"][0]["path"][0], "limit");
    }

    #[test]
    fn a_flag_is_true_or_false() {
        assert_eq!(Query::parse("a=true&b=false").flag("a"), Ok(true));
        assert_eq!(Query::parse("a=true&b=false").flag("b"), Ok(false));
        assert_eq!(Query::parse("").flag("a"), Ok(false));
        assert!(Query::parse("a=1").flag("a").is_err());
    }
}
