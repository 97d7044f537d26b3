//! Issuer and customer.

use racun_documents::Party;

use super::Source;
use crate::clean::some_line;
use crate::model::{Block, Fact};
use crate::words::Word;

/// What stands on paper in Portugal in the place of the number of a customer who gave none
/// (Despacho 8632/2014, 2.2).
const CONSUMER: &str = "Consumidor final";

/// The texts of an address, line by line.
fn address(party: &Party, shows_country: bool) -> Vec<String> {
    let text = |text: &Option<String>| some_line(text.as_deref());
    let town = [text(&party.post_code), text(&party.city)];
    let town: Vec<String> = town.into_iter().flatten().collect();
    let country = text(&party.country).or_else(|| text(&party.country_code));
    let lines = [
        text(&party.address),
        text(&party.address_2),
        Some(town.join(" ")).filter(|town| !town.is_empty()),
        text(&party.state),
        country.filter(|_| shows_country),
    ];
    lines.into_iter().flatten().collect()
}

impl Source<'_> {
    /// A fact, when there is a text.
    pub(super) fn fact(&self, word: Word, text: Option<String>) -> Option<Fact> {
        Some(Fact { key: word.key(), label: self.word(word).to_owned(), text: text? })
    }

    fn party_facts(&self, party: &Party) -> Vec<Fact> {
        let texts = [
            (Word::TaxNumber, &party.tax_number),
            (Word::TaxNumber2, &party.tax_number_2),
            (Word::CompanyNumber, &party.company_number),
            (Word::Email, &party.email),
            (Word::Phone, &party.phone),
        ];
        let fact =
            |(word, text): (Word, &Option<String>)| self.fact(word, some_line(text.as_deref()));
        texts.into_iter().filter_map(fact).collect()
    }

    /// Whether the customer is in another country: by the codes, or else by what it says.
    fn is_abroad(&self) -> bool {
        let content = &self.document.content;
        let text = |text: &Option<String>| some_line(text.as_deref()).map(|it| it.to_lowercase());
        let Some(customer) = &content.customer else { return false };
        let issuer = &content.issuer;
        let own = [text(&issuer.country_code), text(&issuer.country)];
        match (text(&customer.country_code), text(&customer.country)) {
            (Some(code), _) => own[0].as_ref() != Some(&code),
            (None, Some(name)) => !own.contains(&Some(name)),
            (None, None) => false,
        }
    }

    /// Who issued it, with the unit that did.
    pub(super) fn issuer(&self) -> Block {
        let content = &self.document.content;
        let mut facts = self.party_facts(&content.issuer);
        if let Some(unit) = &content.business_unit {
            let own = Party {
                address: unit.address.clone(),
                address_2: unit.address_2.clone(),
                post_code: unit.post_code.clone(),
                city: unit.city.clone(),
                ..Party::default()
            };
            let mut texts: Vec<String> = some_line(Some(&unit.name)).into_iter().collect();
            texts.extend(address(&own, false));
            let mut of_unit: Vec<Fact> =
                self.fact(Word::Unit, Some(texts.join(", "))).into_iter().collect();
            for (word, text) in [
                (Word::Email, &unit.email),
                (Word::Phone, &unit.phone),
                (Word::Website, &unit.website),
            ] {
                let Some(fact) = self.fact(word, some_line(text.as_deref())) else { continue };
                facts.retain(|own| own.key != fact.key);
                of_unit.push(fact);
            }
            facts.extend(of_unit);
        }
        Block {
            label: self.word(Word::Issuer).to_owned(),
            name: some_line(content.issuer.name.as_deref()).unwrap_or_default(),
            address: address(&content.issuer, self.is_abroad()),
            facts,
        }
    }

    /// Who receives it, when it says so.
    pub(super) fn customer(&self) -> Option<Block> {
        let nobody = Party::default();
        let customer = self.document.content.customer.as_ref().unwrap_or(&nobody);
        let mut facts = self.party_facts(customer);
        if self.document.pt.is_some() && some_line(customer.tax_number.as_deref()).is_none() {
            facts.extend(self.fact(Word::TaxNumber, Some(CONSUMER.to_owned())));
        }
        let block = Block {
            label: self.word(Word::Customer).to_owned(),
            name: some_line(customer.name.as_deref()).unwrap_or_default(),
            address: address(customer, self.is_abroad()),
            facts,
        };
        let is_empty = block.name.is_empty() && block.address.is_empty() && block.facts.is_empty();
        (!is_empty).then_some(block)
    }
}
