//! Business units.

use racun_kernel::id::{self, BusinessUnitId, EntityId, FileId};
use racun_kernel::{Decimal, Issue, Issues, Patch, Stamp, iban};
use racun_store::{Context, Series, Writes};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use time::OffsetDateTime;

use crate::check::{self, Check, MAX_TEXT_CHARS};
use crate::error::CatalogError;
use crate::life_cycle::{self, Trashable};
use crate::record::record;

/// The sequence that numbers an entity's business units.
const INDEX_SERIES: &str = "business_unit_index";

/// Templates that documents can be printed with.
const PDF_TEMPLATES: [&str; 6] =
    ["modern", "classic", "condensed", "minimal", "fashion", "timeless_modern_full_data"];

racun_kernel::addressed! {
    /// A part of an entity with an address, a look and document numbers of its own.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    pub struct BusinessUnit {
        /// Its id.
        pub id: BusinessUnitId,
        /// Whose unit.
        pub entity_id: EntityId,
        /// Its name.
        pub name: String,
        /// E-mail address.
        pub email: Option<String>,
        /// Telephone number.
        pub phone: Option<String>,
        /// Web site.
        pub website: Option<String>,
        /// How its documents look and what they say by default (`BusinessUnitSettings`). The looks
        /// and texts of mails are checked here; which keys there are is known to crate `access`.
        pub settings: Map<String, Json>,
        /// The file of its logo.
        pub logo_file_id: Option<FileId>,
        /// The file of its signature.
        pub signature_file_id: Option<FileId>,
        /// Its number in the entity, from 1 upwards: `{u}` of number formats. Never used again.
        pub numbering_index: i64,
        /// Whether documents can be made for it: not when it is in the trash.
        pub is_active: bool,
        /// Since when it is in the trash.
        #[serde(with = "time::serde::rfc3339::option")]
        pub deleted_at: Option<OffsetDateTime>,
        /// When it was made.
        #[serde(with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        /// When it changed last.
        #[serde(with = "time::serde::rfc3339")]
        pub updated_at: OffsetDateTime,
    }
}

record! {
    /// Where business units are kept.
    BUSINESS_UNITS: BusinessUnit, id::BusinessUnit, "business_units",
    events { business_unit }
    fields {
        name: text searched,
        address: text searched,
        address_2: text searched,
        post_code: text searched,
        city: text searched,
        state: text searched,
        country: text searched,
        country_code: text,
        email: text searched,
        phone: text searched,
        website: text searched,
        logo_file_id: text,
        signature_file_id: text,
        numbering_index: number,
        is_active: bool,
    }
    unique {}
    trash { deleted_at }
}

impl BusinessUnit {
    /// What is odd about it: numbers of its bank accounts that cannot be IBANs.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let mut found = Issues::default();
        found.extend_at("settings", iban::warnings(&self.settings));
        found
    }
}

impl Trashable for BusinessUnit {
    fn set_deleted_at(&mut self, at: Option<OffsetDateTime>) {
        self.deleted_at = at;
        self.is_active = at.is_none();
    }
}

racun_kernel::addressed! {
    /// What a caller says of a business unit. A new one needs `name`.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct BusinessUnitInput of Patch {
        /// See [`BusinessUnit::name`]; so all below. Not blank.
        pub name: Patch<String>,
        /// E-mail address.
        pub email: Patch<String>,
        /// Telephone number.
        pub phone: Patch<String>,
        /// Web site.
        pub website: Patch<String>,
        /// Settings, taken over key by key: one that is not sent stays. Null removes them all.
        pub settings: Patch<Map<String, Json>>,
        /// The file of its logo, `file_…`.
        pub logo_file_id: Patch<String>,
        /// The file of its signature, `file_…`.
        pub signature_file_id: Patch<String>,
    }
}

impl BusinessUnitInput {
    /// The new unit that this describes, with `numbering_index` as its number.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_business_unit(
        self,
        entity_id: EntityId,
        numbering_index: i64,
        stamp: &Stamp,
    ) -> Result<BusinessUnit, Issues> {
        let mut unit = BusinessUnit {
            id: stamp.id(),
            entity_id,
            name: String::new(),
            address: None,
            address_2: None,
            post_code: None,
            city: None,
            state: None,
            country: None,
            country_code: None,
            email: None,
            phone: None,
            website: None,
            settings: Map::new(),
            logo_file_id: None,
            signature_file_id: None,
            numbering_index,
            is_active: true,
            deleted_at: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        };
        self.apply(&mut unit)?;
        Ok(unit)
    }

    /// Takes over into `unit` what this says.
    ///
    /// # Errors
    /// All that is wrong, by path; `unit` is then of no use.
    pub fn apply(self, unit: &mut BusinessUnit) -> Result<(), Issues> {
        let mut check = Check::default();
        check.name(self.name, &mut unit.name, MAX_TEXT_CHARS);
        check.texts([
            ("address", self.address, &mut unit.address),
            ("address_2", self.address_2, &mut unit.address_2),
            ("post_code", self.post_code, &mut unit.post_code),
            ("city", self.city, &mut unit.city),
            ("state", self.state, &mut unit.state),
            ("country", self.country, &mut unit.country),
            ("phone", self.phone, &mut unit.phone),
            ("website", self.website, &mut unit.website),
        ]);
        check.country_code(self.country_code, &mut unit.country_code);
        check.email(self.email, &mut unit.email);
        for (field, sent, kept) in [
            ("logo_file_id", self.logo_file_id, &mut unit.logo_file_id),
            ("signature_file_id", self.signature_file_id, &mut unit.signature_file_id),
        ] {
            if let Some(sent) = check.keep(field, sent.try_map(file_id)) {
                sent.apply(kept);
            }
        }
        match self.settings {
            Patch::Absent => {}
            Patch::Null => unit.settings = Map::new(),
            Patch::Value(sent) => {
                unit.settings.extend(sent);
                check.keep("settings", check_settings(&unit.settings));
            }
        }
        check.finish()
    }
}

fn file_id(text: String) -> Result<FileId, Issue> {
    text.parse().map_err(|error: racun_kernel::InvalidId| {
        Issue::new("invalid_id", format!("{error}; take it from the answer to an upload"))
    })
}

/// What must hold of a setting that is there and not null.
type SettingRule = fn(&Json) -> Result<(), Issues>;

/// Checks what the interface specifies of a unit's settings.
fn check_settings(settings: &Map<String, Json>) -> Result<(), Issues> {
    check::json_object(settings)?;
    let mut check = Check::default();
    let rules: [(&str, SettingRule); 4] = [
        ("pdf_template", pdf_template),
        ("primary_color", primary_color),
        ("logo_scale_percent", logo_scale_percent),
        ("email_defaults", email_defaults),
    ];
    for (key, rule) in rules {
        let value = settings.get(key).filter(|value| !value.is_null());
        check.keep(key, value.map_or(Ok(()), rule));
    }
    check.finish()
}

fn pdf_template(value: &Json) -> Result<(), Issues> {
    if value.as_str().is_some_and(|name| PDF_TEMPLATES.contains(&name)) {
        return Ok(());
    }
    let message = format!("expected null or one of {}", PDF_TEMPLATES.join(", "));
    Err(Issue::new("invalid_value", message).into())
}

fn primary_color(value: &Json) -> Result<(), Issues> {
    let digits = value.as_str().and_then(|color| color.strip_prefix('#'));
    let is_color = |digits: &str| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if digits.is_some_and(is_color) {
        return Ok(());
    }
    Err(Issue::new("invalid_value", "expected a colour as #RGB or #RRGGBB").into())
}

fn logo_scale_percent(value: &Json) -> Result<(), Issues> {
    let percent: Option<Decimal> = match value {
        Json::Number(number) => number.as_str().parse().ok(),
        _ => None,
    };
    let (min, max) = (Decimal::from(30), Decimal::from(100));
    if percent.is_some_and(|percent| percent.fits_scale(0) && (min..=max).contains(&percent)) {
        return Ok(());
    }
    Err(Issue::new("out_of_range", "expected a whole number from 30 to 100, or null").into())
}

fn email_defaults(value: &Json) -> Result<(), Issues> {
    let Json::Object(texts) = value else {
        return Err(Issue::new("invalid_type", "expected an object of texts, or null").into());
    };
    let mut check = Check::default();
    for (key, text) in texts {
        if !text.is_string() && !text.is_null() {
            check.refuse(Issue::new("invalid_type", "expected text or null").at(key.as_str()));
        }
    }
    check.finish()
}

/// Adds a business unit under the next number of its entity.
///
/// # Errors
/// [`CatalogError::Invalid`], and when the store fails.
pub async fn create_business_unit(
    cx: Context<'_>,
    input: BusinessUnitInput,
) -> Result<BusinessUnit, CatalogError> {
    // The number comes last: a refused input must not wait for it, nor be shown one.
    let mut unit = input.into_business_unit(cx.scope.entity(), 0, cx.stamp)?;
    let mut transaction = cx.unit();
    let series = Series { tenant: cx.tenant(), key: INDEX_SERIES.to_owned(), start: 1 };
    let number = transaction.number(series);
    transaction
        .decide(move |held| {
            unit.numbering_index = held.number(&number)?;
            let events = life_cycle::happened(held.actor(), &unit, |kinds| kinds.created);
            let writes = Writes::default().insert(&unit).events(events).taking_number();
            Ok((unit, writes))
        })
        .await
}

/// Changes a business unit.
///
/// # Errors
/// [`CatalogError::NotFound`], [`crate::RefusalReason::InTrash`], [`CatalogError::Invalid`], and
/// when the store fails.
pub async fn update_business_unit(
    cx: Context<'_>,
    id: BusinessUnitId,
    input: BusinessUnitInput,
) -> Result<BusinessUnit, CatalogError> {
    let change = |unit: &mut BusinessUnit| Ok(input.apply(unit)?);
    life_cycle::update(cx, id, change).await
}
