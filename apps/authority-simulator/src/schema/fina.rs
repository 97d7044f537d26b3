//! The messages to CIS: `FiskalizacijaSchema.xsd` 1.9, technical specification 2.7.

use super::{Part, Parts, Simple, group, groups, maybe, maybe_group, one};

/// `RacunZahtjev` and `ProvjeraZahtjev`.
pub const RECEIPT_REQUEST: Parts = &[HEADER, group("Racun", RECEIPT)];

/// `PromijeniPodatkeRacunaZahtjev`.
pub const CHANGE_REQUEST: Parts = &[HEADER, group("Racun", CHANGE)];

/// `PromijeniNacPlacZahtjev`.
pub const MEANS_REQUEST: Parts = &[HEADER, group("Racun", MEANS_CHANGE)];

/// `NapojnicaZahtjev`.
pub const TIP_REQUEST: Parts = &[HEADER, group("Racun", TIP)];

const AMOUNT: Simple = Simple::Amount(15);
const RATE: Simple = Simple::Amount(3);
const MANY: usize = 10_000;
const MEANS: Simple = Simple::OneOf(&["G", "K", "T", "O"]);

const HEADER: Part = group(
    "Zaglavlje",
    &[one("IdPoruke", Simple::Uuid { any_case: false }), one("DatumVrijeme", TIME)],
);
const TIME: Simple = Simple::CroatianDateTime;

/// The parts of each receipt, and what comes after them.
macro_rules! receipt {
    ($($more:expr),*) => {
        &[
            one("Oib", Simple::Oib),
            one("USustPdv", Simple::Truth),
            one("DatVrijeme", TIME),
            one("OznSlijed", Simple::OneOf(&["N", "P"])),
            group(
                "BrRac",
                &[
                    one("BrOznRac", Simple::Number),
                    one("OznPosPr", Simple::Label),
                    one("OznNapUr", Simple::Number),
                ],
            ),
            maybe_group("Pdv", TAXES),
            maybe_group("Pnp", TAXES),
            maybe_group("OstaliPor", OTHER_TAXES),
            maybe("IznosOslobPdv", AMOUNT),
            maybe("IznosMarza", AMOUNT),
            maybe("IznosNePodlOpor", AMOUNT),
            maybe_group("Naknade", FEES),
            one("IznosUkupno", AMOUNT),
            one("NacinPlac", MEANS),
            one("OibOper", Simple::Oib),
            one("ZastKod", Simple::Mark),
            one("NakDost", Simple::Truth),
            maybe("ParagonBrRac", Simple::Text(1, 100)),
            maybe("SpecNamj", Simple::Text(1, 1_000)),
            maybe("OibPrimateljaRacuna", Simple::Oib),
            $($more),*
        ]
    };
}

const RECEIPT: Parts = receipt!();
const MEANS_CHANGE: Parts = receipt!(one("PromijenjeniNacinPlac", MEANS));
const CHANGE: Parts = receipt!(
    one("PromijenjeniNacinPlac", MEANS),
    one("PromijenjeniOibPrimateljaRacuna", Simple::OibOrNothing)
);
const TIP: Parts = receipt!(group(
    "Napojnica",
    &[one("iznosNapojnice", AMOUNT), one("nacinPlacanjaNapojnice", MEANS)]
));

const TAXES: Parts = &[groups(
    "Porez",
    1,
    MANY,
    &[one("Stopa", RATE), one("Osnovica", AMOUNT), one("Iznos", AMOUNT)],
)];

const OTHER_TAXES: Parts = &[groups(
    "Porez",
    1,
    MANY,
    &[
        one("Naziv", Simple::Text(1, 100)),
        one("Stopa", RATE),
        one("Osnovica", AMOUNT),
        one("Iznos", AMOUNT),
    ],
)];

const FEES: Parts =
    &[groups("Naknada", 1, MANY, &[one("NazivN", Simple::Text(1, 100)), one("IznosN", AMOUNT)])];
