//! Cards that stand for each outcome, by the names and numbers of Stripe's test mode
//! (<https://docs.stripe.com/testing>).
//!
//! | Number              | Name                                      | What becomes of it       |
//! | ------------------- | ----------------------------------------- | ------------------------ |
//! | 4242 4242 4242 4242 | `pm_card_visa`                            | pays                     |
//! | 5555 5555 5555 4444 | `pm_card_mastercard`                      | pays                     |
//! | 4000 0000 0000 0002 | `pm_card_chargeDeclined`                  | declined, when given too |
//! | 4000 0000 0000 9995 | `pm_card_chargeDeclinedInsufficientFunds` | declined, no funds       |
//! | 4000 0000 0000 0341 | `pm_card_chargeCustomerFail`              | taken, declined later    |
//! | 4000 0025 0000 3155 | `pm_card_authenticationRequiredOnSetup`   | the bank asks once       |
//! | 4000 0027 6000 3184 | `pm_card_authenticationRequired`          | the bank asks each time  |

use serde_json::{Value, json};

/// What becomes of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Pays,
    Declined(&'static str),
    DeclinedLater,
    AskedOnce,
    AskedAlways,
}

/// A card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Card {
    /// The sign in ids that stands for it.
    sign: char,
    number: &'static str,
    name: &'static str,
    pub brand: &'static str,
    fate: Fate,
}

/// Why a card does not pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decline {
    pub code: &'static str,
    pub reason: &'static str,
    pub message: &'static str,
}

const fn card(
    sign: char,
    number: &'static str,
    name: &'static str,
    brand: &'static str,
    fate: Fate,
) -> Card {
    Card { sign, number, name, brand, fate }
}

/// The card of the bank that asked once, after it asked.
const CONFIRMED: Card = card('c', "4000002500003155", "", "visa", Fate::Pays);

const CARDS: [Card; 8] = [
    card('v', "4242424242424242", "pm_card_visa", "visa", Fate::Pays),
    card('m', "5555555555554444", "pm_card_mastercard", "mastercard", Fate::Pays),
    card(
        'd',
        "4000000000000002",
        "pm_card_chargeDeclined",
        "visa",
        Fate::Declined("generic_decline"),
    ),
    card(
        'i',
        "4000000000009995",
        "pm_card_chargeDeclinedInsufficientFunds",
        "visa",
        Fate::Declined("insufficient_funds"),
    ),
    card('l', "4000000000000341", "pm_card_chargeCustomerFail", "visa", Fate::DeclinedLater),
    card('o', "4000002500003155", "pm_card_authenticationRequiredOnSetup", "visa", Fate::AskedOnce),
    card('a', "4000002760003184", "pm_card_authenticationRequired", "visa", Fate::AskedAlways),
    CONFIRMED,
];

/// What ids of cards begin with that were made here.
const BEGIN: &str = "pm_sim";

impl Card {
    /// The card of a name of the test mode.
    pub fn named(name: &str) -> Option<Self> {
        CARDS.into_iter().find(|card| !card.name.is_empty() && card.name == name)
    }

    /// The card with a number.
    pub fn numbered(number: &str) -> Option<Self> {
        let digits: String = number.chars().filter(|sign| !matches!(sign, ' ' | '-')).collect();
        CARDS.into_iter().find(|card| card.number == digits)
    }

    /// The card that an id says.
    pub fn of_id(id: &str) -> Option<Self> {
        let sign = id.strip_prefix(BEGIN)?.chars().next()?;
        CARDS.into_iter().find(|card| card.sign == sign)
    }

    /// What new ids of it begin with.
    pub fn begin(self) -> String {
        format!("{BEGIN}{}", self.sign)
    }

    /// The last four digits of its number.
    pub fn last4(self) -> &'static str {
        self.number.get(12..).unwrap_or_default()
    }

    /// Whether the bank asks the person when they pay on a page.
    pub fn asks(self) -> bool {
        matches!(self.fate, Fate::AskedOnce | Fate::AskedAlways)
    }

    /// The same after the person confirmed it.
    pub fn confirmed(self) -> Self {
        if self.fate == Fate::AskedOnce { CONFIRMED } else { self }
    }

    /// Whether a customer can have it.
    pub fn attach(self) -> Result<(), Decline> {
        match self.fate {
            Fate::Declined(reason) => Err(declined(reason)),
            _ => Ok(()),
        }
    }

    /// Whether it pays, with the person there or not.
    pub fn charge(self, is_present: bool) -> Result<(), Decline> {
        match self.fate {
            Fate::Declined(reason) => Err(declined(reason)),
            Fate::DeclinedLater => Err(declined("generic_decline")),
            Fate::AskedOnce | Fate::AskedAlways if !is_present => Err(Decline {
                code: "authentication_required",
                reason: "authentication_required",
                message: "Your card was declined. This transaction requires authentication.",
            }),
            _ => Ok(()),
        }
    }

    /// As an object says it.
    pub fn object(self) -> Value {
        json!({
            "brand": self.brand, "country": "US", "exp_month": 12, "exp_year": 2099,
            "funding": "credit", "last4": self.last4(),
        })
    }
}

fn declined(reason: &'static str) -> Decline {
    let message = match reason {
        "insufficient_funds" => "Your card has insufficient funds.",
        _ => "Your card was declined.",
    };
    Decline { code: "card_declined", reason, message }
}

/// What the bank of a person says who did not confirm.
pub const NOT_CONFIRMED: Decline = Decline {
    code: "payment_intent_authentication_failure",
    reason: "authentication_required",
    message: "The bank could not make sure that it is you. Try again or take another card.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_known_by_name_number_and_id() {
        for card in CARDS {
            assert_eq!(Card::of_id(&format!("{}x1", card.begin())), Some(card));
        }
        let visa = Card::named("pm_card_visa").unwrap();
        assert_eq!(Card::numbered("4242 4242 4242 4242"), Some(visa));
        assert_eq!((visa.last4(), visa.charge(false)), ("4242", Ok(())));
        let poor = Card::numbered("4000000000009995").unwrap();
        assert_eq!(poor.charge(true).unwrap_err().reason, "insufficient_funds");
        assert_eq!(poor.charge(true).unwrap_err().message, "Your card has insufficient funds.");
        let careful = Card::numbered("4000002500003155").unwrap();
        assert!(careful.asks() && careful.charge(false).is_err());
        assert_eq!(careful.confirmed().charge(false), Ok(()));
        let always = Card::named("pm_card_authenticationRequired").unwrap();
        assert!(always.confirmed().charge(false).is_err() && always.charge(true).is_ok());
        for unknown in ["", "pm_card_", "pm_simz1", "1234567812345678"] {
            let found = Card::named(unknown).or(Card::numbered(unknown));
            assert_eq!(found.or(Card::of_id(unknown)), None, "{unknown}");
        }
    }
}
