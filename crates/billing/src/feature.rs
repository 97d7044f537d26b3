//! What plans have and others lack.

use std::fmt;
use std::str::FromStr;

use racun_kernel::Issue;
use serde::{Deserialize, Serialize};

macro_rules! features {
    ($($(#[$doc:meta])* $feature:ident = $slug:literal;)*) => {
        /// A part of Racun that a plan may leave out.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Feature {
            $($(#[$doc])* #[serde(rename = $slug)] $feature,)*
        }

        /// All features, in the order of the interface.
        pub const FEATURES: &[Feature] = &[$(Feature::$feature),*];

        impl Feature {
            /// Its name on the wire.
            #[must_use]
            pub const fn slug(self) -> &'static str {
                match self {
                    $(Self::$feature => $slug,)*
                }
            }
        }
    };
}

features! {
    /// Making and changing invoices.
    Invoices = "invoices";
    /// Making and changing estimates.
    Estimates = "estimates";
    /// Keeping customers.
    Customers = "customers";
    /// Keeping items.
    Items = "items";
    /// Documents as PDF.
    PdfExport = "pdf_export";
    /// Sending documents by e-mail.
    EmailSending = "email_sending";
    /// Keeping business units.
    BusinessUnits = "business_units";
    /// Keeping financial categories.
    FinancialCategories = "financial_categories";
    /// Settings, premises and devices of FURS.
    Furs = "furs";
    /// Documents as e-SLOG.
    Eslog = "eslog";
    /// Settings, premises and devices of FINA.
    Fina = "fina";
    /// Recurring invoices.
    Recurring = "recurring";
    /// Templates of one's own.
    CustomTemplates = "custom_templates";
    /// Access by keys.
    ApiAccess = "api_access";
    /// Webhooks.
    Webhooks = "webhooks";
    /// Help before others.
    PrioritySupport = "priority_support";
    /// Sending electronic invoices.
    EInvoicing = "e_invoicing";
    /// Estimated rates of sales tax by zip code.
    UsTaxRateLookup = "us_tax_rate_lookup";
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl FromStr for Feature {
    type Err = Issue;

    fn from_str(text: &str) -> Result<Self, Issue> {
        let found = FEATURES.iter().copied().find(|feature| feature.slug() == text);
        found.ok_or_else(|| {
            let known = FEATURES.iter().map(|feature| feature.slug()).collect::<Vec<_>>();
            Issue::new("invalid_value", format!("no such feature; there are {}", known.join(", ")))
        })
    }
}
