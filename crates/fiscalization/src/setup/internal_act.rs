//! The internal act: what a Slovenian taxpayer lays down before the first invoice. It lists the
//! business premises with their marks, and says by which rule invoices are numbered.
//!
//! Source: ZDavPR (Uradni list RS, 57/15 and later), article 5, paragraph 6.

use racun_access::{self as access, AccessError, Entity};
use racun_fiscal::furs::{MovableKind, PremiseKind};
use racun_fiscal::{
    Authority, BusinessPremise, FiscalError, FiscalRefusal, FiscalSettings, Numbering, year_of,
};
use racun_kernel::OperatorIdentity;
use racun_render::{Block, Table, Text};
use racun_store::Context;
use time::{Date, OffsetDateTime};

use super::{PremiseState, check_country, premises, settings};

const TITLE: &str = "Interni akt o popisu poslovnih prostorov in dodelitvi oznak";

/// What the act is made of.
struct Matter<'a> {
    entity: &'a Entity,
    settings: FiscalSettings,
    /// The open ones, each with its active devices only.
    premises: Vec<PremiseState>,
    /// Who issues invoices: names, and what FURS knows them by.
    operators: Vec<(String, OperatorIdentity)>,
    today: Date,
    year: i32,
}

/// The internal act of the scope's entity, as it is today.
///
/// # Errors
/// [`FiscalRefusal::OtherCountry`]; [`FiscalRefusal::CertificateMissing`];
/// [`FiscalRefusal::PremiseMissing`]; [`FiscalRefusal::DeviceMissing`]; the store's failure.
pub async fn compose(cx: Context<'_>, entity: &Entity) -> Result<Text, FiscalError> {
    let authority = Authority::Furs;
    check_country(entity, authority)?;
    let settings = settings::get(cx, authority).await?;
    if settings.certificate.is_none() {
        return Err(FiscalRefusal::CertificateMissing.into());
    }
    let mut premises = premises::list(cx, authority).await?;
    premises.retain(|state| state.premise.is_active);
    if premises.is_empty() {
        return Err(FiscalRefusal::PremiseMissing.into());
    }
    for state in &mut premises {
        state.devices.retain(|state| state.device.is_active);
    }
    if premises.iter().all(|state| state.devices.is_empty()) {
        return Err(FiscalRefusal::DeviceMissing.into());
    }
    let operators = access::list_operator_identities(cx, authority).await;
    let operators = operators.map_err(of_access)?;
    let now = cx.now();
    let (today, year) = (day(authority, now), year_of(authority, now));
    Ok(Matter { entity, settings, premises, operators, today, year }.text())
}

/// The gate asked for no less than this asks, so nothing but the store is left to fail.
fn of_access(error: AccessError) -> FiscalError {
    match error {
        AccessError::Store(error) => error.into(),
        other => racun_store::StoreError::Unavailable(other.to_string()).into(),
    }
}

fn day(authority: Authority, instant: OffsetDateTime) -> Date {
    authority.local(instant).date()
}

/// A day as it is written in Slovenia: `20. 11. 2026`.
fn written(date: Date) -> String {
    format!("{}. {}. {}", date.day(), u8::from(date.month()), date.year())
}

impl Matter<'_> {
    fn text(&self) -> Text {
        let name = &self.entity.name;
        let opening = format!(
            "Na podlagi šestega odstavka 5. člena Zakona o davčnem potrjevanju računov (ZDavPR) \
             zavezanec {name} sprejema ta interni akt, s katerim popiše poslovne prostore, jim \
             dodeli oznake in določi pravila za dodeljevanje zaporednih številk računom."
        );
        let mut blocks = vec![Block::paragraph(opening)];
        blocks.extend(self.taxpayer());
        blocks.extend(self.places());
        blocks.extend(self.devices());
        blocks.extend(self.rules());
        blocks.extend(self.people());
        blocks.extend(self.closing());
        Text { title: TITLE.to_owned(), language: "sl-SI".to_owned(), blocks }
    }

    fn taxpayer(&self) -> [Block; 2] {
        let entity = self.entity;
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let town = [text(&entity.post_code), text(&entity.city)].join(" ");
        let address = [text(&entity.address), text(&entity.address_2), town];
        let address = address.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
        let subject = if entity.is_tax_subject { "da" } else { "ne" };
        let rows = [
            ("Naziv", entity.name.clone()),
            ("Naslov", address.collect::<Vec<_>>().join(", ")),
            ("Davčna številka", text(&entity.tax_number)),
            ("Matična številka", text(&entity.company_number)),
            ("Identificiran za DDV", subject.to_owned()),
        ];
        let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
        let rows = rows.map(|(name, value)| vec![name.to_owned(), value]).collect();
        [Block::heading("1. Zavezanec"), table([("Podatek", 1), ("Vrednost", 3)], rows)]
    }

    fn places(&self) -> [Block; 3] {
        let row = |state: &PremiseState| {
            let premise = &state.premise;
            let since = premise.registered_at.map(|at| written(day(Authority::Furs, at)));
            let (kind, place) = described(premise);
            vec![premise.name.clone(), kind, place, since.unwrap_or_default()]
        };
        let columns =
            [("Oznaka", 4), ("Vrsta", 4), ("Naslov in katastrski podatki", 9), ("V uporabi od", 3)];
        [
            Block::heading("2. Poslovni prostori in njihove oznake"),
            Block::paragraph("Zavezanec izdaja račune v teh poslovnih prostorih:"),
            table(columns, self.premises.iter().map(row).collect()),
        ]
    }

    fn devices(&self) -> [Block; 3] {
        let rows = self.premises.iter().flat_map(|state| {
            let row = |own: &super::DeviceState| {
                let since = written(day(Authority::Furs, own.device.created_at));
                vec![state.premise.name.clone(), own.device.name.clone(), since]
            };
            state.devices.iter().map(row)
        });
        let columns = [("Poslovni prostor", 2), ("Oznaka naprave", 2), ("V uporabi od", 1)];
        [
            Block::heading("3. Elektronske naprave"),
            Block::paragraph("Računi se izdajajo z elektronskimi napravami s temi oznakami:"),
            table(columns, rows.collect()),
        ]
    }

    fn rules(&self) -> Vec<Block> {
        let (of, what) = match self.settings.numbering {
            Numbering::PerPremise => (
                "po poslovnih prostorih: vse elektronske naprave enega poslovnega prostora si \
                 delijo eno zaporedje (oznaka C)",
                "poslovnega prostora",
            ),
            Numbering::PerDevice => (
                "po elektronskih napravah: vsaka elektronska naprava ima svoje zaporedje \
                 (oznaka B)",
                "elektronske naprave",
            ),
        };
        let mut blocks = vec![
            Block::heading("4. Pravila za dodeljevanje zaporednih številk računom"),
            Block::paragraph(
                "Številka računa je sestavljena iz oznake poslovnega prostora, oznake elektronske \
                 naprave in zaporedne številke, ki jih loči vezaj, na primer PP1-EN1-1.",
            ),
            Block::paragraph(format!("Zaporedne številke se dodeljujejo {of}.")),
            Block::paragraph(format!(
                "Zaporedje vsakega {what} je v koledarskem letu neprekinjeno in se vsako leto \
                 začne s številko 1. Računi, dobropisi in računi za predplačila so v istem \
                 zaporedju."
            )),
        ];
        for (mark, number) in self.starts() {
            let year = self.year;
            blocks.push(Block::paragraph(format!(
                "V letu {year} se zaporedje {mark} začne s številko {number}, ker nadaljuje \
                 zaporedje prejšnjega programa."
            )));
        }
        blocks
    }

    /// Sequences of this year that start elsewhere than at 1.
    fn starts(&self) -> Vec<(String, i64)> {
        let from = |mark: String, number: Option<i64>| {
            number.filter(|number| *number > 1).map(|number| (mark, number))
        };
        let all = self.premises.iter().flat_map(|state| match self.settings.numbering {
            Numbering::PerPremise => {
                vec![from(state.premise.name.clone(), state.starting_number)]
            }
            Numbering::PerDevice => {
                let own = state.devices.iter().map(|own| {
                    let mark = format!("{}-{}", state.premise.name, own.device.name);
                    from(mark, own.starting_number)
                });
                own.collect()
            }
        });
        all.flatten().collect()
    }

    fn people(&self) -> Vec<Block> {
        let settings = &self.settings;
        let default = OperatorIdentity {
            number: settings.operator_number.clone(),
            label: settings.operator_label.clone(),
        };
        let named = if settings.foreign_operator {
            "oseba brez slovenske davčne številke"
        } else {
            "oseba iz nastavitev zavezanca"
        };
        let all = std::iter::once((named.to_owned(), default)).chain(self.operators.clone());
        let told = all.filter(|(_, own)| own.number.is_some() || own.label.is_some());
        let rows: Vec<Vec<String>> = told
            .map(|(name, own)| {
                vec![own.label.unwrap_or_default(), name, own.number.unwrap_or_default()]
            })
            .collect();
        let heading = Block::heading("5. Osebe, ki izdajajo račune");
        if rows.is_empty() {
            let text = "Oznake oseb, ki izdajajo račune, so navedene na računih.";
            return vec![heading, Block::paragraph(text)];
        }
        let columns = [("Oznaka", 2), ("Oseba", 3), ("Davčna številka", 2)];
        let opening = "Na računih so osebe, ki jih izdajajo, navedene s temi oznakami:";
        vec![heading, Block::paragraph(opening), table(columns, rows)]
    }

    fn closing(&self) -> [Block; 5] {
        let today = written(self.today);
        [
            Block::heading("6. Veljavnost"),
            Block::paragraph(format!(
                "Ta akt velja od {today}. Ob vsaki spremembi podatkov o poslovnih prostorih, oznak \
                 ali pravil za številčenje ga zavezanec dopolni."
            )),
            Block::paragraph("Kraj in datum: ______________________________"),
            Block::paragraph("Odgovorna oseba: ____________________________"),
            Block::paragraph("Podpis: _____________________________________"),
        ]
    }
}

fn table<const N: usize>(columns: [(&str, u8); N], rows: Vec<Vec<String>>) -> Block {
    let columns = columns.map(|(name, share)| (name.to_owned(), share)).to_vec();
    Block::Table(Table { columns, rows })
}

/// What kind of premise it is, and where it is.
fn described(premise: &BusinessPremise) -> (String, String) {
    let (kind, place) = match &premise.kind {
        Some(PremiseKind::RealEstate(at)) => {
            let additional = at.house_number_additional.as_deref().unwrap_or_default();
            let house = format!("{}{additional}", at.house_number);
            let place = format!(
                "{} {house}, {} {}, naselje {}; katastrska občina {}, stavba {}, del stavbe {}",
                at.street,
                at.postal_code,
                at.city,
                at.community,
                at.cadastral_number,
                at.building_number,
                at.building_section,
            );
            ("nepremični prostor", place)
        }
        Some(PremiseKind::Movable(kind)) => {
            let place = match kind {
                MovableKind::A => "premičen objekt (A), na primer vozilo ali premična stojnica",
                MovableKind::B => "objekt na stalni lokaciji (B), na primer stojnica ali kiosk",
                MovableKind::C => {
                    "posamezna elektronska naprava (C), kadar drugega prostora ni, na primer \
                     spletna trgovina"
                }
            };
            ("premični prostor", place.to_owned())
        }
        None => ("prostor", String::new()),
    };
    (kind.to_owned(), place)
}
