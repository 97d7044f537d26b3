//! Which customers are the same, however they are written.

use racun_kernel::vat_number;

use crate::customer::Customer;
use crate::identity::{email_key, name_key, plain, tax_key};

impl Customer {
    /// What customers with the same tax number share; none in the trash, which is not searched.
    #[must_use]
    pub fn tax_key(&self) -> Option<String> {
        tax_key(self.tax_number.as_deref()).filter(|_| self.deleted_at.is_none())
    }

    /// What customers of the same name and address share; none in the trash.
    #[must_use]
    pub fn name_key(&self) -> Option<String> {
        let (address, post_code) = (self.address.as_deref(), self.post_code.as_deref());
        name_key(&self.name, address, post_code).filter(|_| self.deleted_at.is_none())
    }

    /// What customers of the same e-mail address share; none in the trash.
    #[must_use]
    pub fn email_key(&self) -> Option<String> {
        email_key(self.email.as_deref()).filter(|_| self.deleted_at.is_none())
    }

    /// Whether `other` has the same name, whatever the capitals and blanks.
    #[must_use]
    pub fn is_called_as(&self, other: &Self) -> bool {
        plain(&self.name) == plain(&other.name)
    }

    /// Whether `other` has the same e-mail address, and no other tax number.
    #[must_use]
    pub fn is_written_to_as(&self, other: &Self) -> bool {
        let numbers = self.tax_key().zip(other.tax_key());
        let emails = self.email.as_deref().map(plain).zip(other.email.as_deref().map(plain));
        emails.is_some_and(|(ours, theirs)| !ours.is_empty() && ours == theirs)
            && numbers.is_none_or(|(ours, theirs)| ours == theirs)
    }

    /// Whether `other` is the same customer: has the same tax number, however it is written; or,
    /// when one of both says none, the same name and address, whatever the capitals and blanks.
    /// Customers without an address are distinguished by their e-mail addresses. Those of two
    /// countries never are the same.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        let differ = |ours: Option<String>, theirs: Option<String>| {
            ours.zip(theirs).is_some_and(|(ours, theirs)| ours != theirs)
        };
        if let (Some(ours), Some(theirs)) = (self.tax_key(), other.tax_key()) {
            return ours == theirs && !differ(self.tax_state(), other.tax_state());
        }
        let country = |customer: &Self| customer.country_code.clone();
        self.name_key().is_some()
            && self.who_and_where() == other.who_and_where()
            && !differ(country(self), country(other))
    }

    fn tax_state(&self) -> Option<String> {
        vat_number::state(self.country_code.as_deref(), self.tax_number.as_deref()?)
    }

    fn who_and_where(&self) -> [String; 6] {
        let place = [&self.address, &self.address_2, &self.post_code, &self.city];
        let [address, address_2, post_code, city] =
            place.map(|text| text.as_deref().map(plain).unwrap_or_default());
        let is_somewhere = ![&address, &address_2, &post_code, &city].iter().all(|s| s.is_empty());
        let email = self.email.as_deref().filter(|_| !is_somewhere).map(plain);
        [plain(&self.name), address, address_2, post_code, city, email.unwrap_or_default()]
    }
}

#[cfg(test)]
mod tests {
    use racun_kernel::Patch;
    use racun_store::testing::stamp;
    use time::OffsetDateTime;

    use crate::{Customer, CustomerInput};

    /// `name | tax number | country code | address | city | e-mail`.
    fn customer(text: &str) -> Customer {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let mut parts = text.split('|').map(|part| match part.trim() {
            "" => Patch::Absent,
            _ => Patch::Value(part.to_owned()),
        });
        let mut next = || parts.next().unwrap_or_default();
        let mut input = CustomerInput {
            name: next(),
            tax_number: next(),
            country_code: next(),
            address: next(),
            city: next(),
            email: next(),
            ..CustomerInput::default()
        };
        for trimmed in [&mut input.country_code, &mut input.email] {
            *trimmed = std::mem::take(trimmed).map(|text: String| text.trim().to_owned());
        }
        input.into_customer(stamp.id(), &stamp).unwrap()
    }

    #[test]
    fn customers_are_identified_by_tax_number_or_else_by_name_and_address() {
        for (one, other, same) in [
            ("Ana|SI10039856", "Ana s.p.|10039856|SI", true),
            ("Ana|SI 100 398 56", "Bor|si10039856", true),
            ("Ana|SI10039856", "Ana|SI99999862", false),
            ("Ana|136695976|DE", "Ana|136695976|PT", false),
            ("Ana|SI10039856||Ulica 1", "ana|||ULICA  1", true),
            ("Ana|", " ana ", true),
            ("Ana d.o.o.||SI|Ulica 1|Kranj", "ANA  D.O.O.|| |ulica 1 |kranj", true),
            ("Ana||SI|Ulica 1", "Ana||HR|Ulica 1", false),
            ("Ana|||Ulica 1|Kranj", "Ana|||Ulica 1|Koper", false),
            ("Ana|||Ulica 1", "Ana", false),
            ("Ana|||||a@example.com", "Ana|||||b@example.com", false),
            ("Ana|||||a@example.com", "Ana|||||A@example.com", true),
            ("Ana|||Ulica 1||a@example.com", "Ana|||Ulica 1", true),
            ("Žiga", "Ziga", false),
        ] {
            let (one, other) = (customer(one), customer(other));
            assert_eq!(one.is_same_as(&other), same, "{one:?} {other:?}");
            assert_eq!(other.is_same_as(&one), same, "{one:?} {other:?}");
            if same {
                let keys = |customer: &Customer| [customer.tax_key(), customer.name_key()];
                let shared = keys(&one).into_iter().zip(keys(&other));
                let shared = shared.filter(|(one, other)| one.is_some() && one == other).count();
                assert!(shared > 0, "{other:?} is not found by {one:?}");
            }
        }
    }

    #[test]
    fn customers_in_the_trash_are_not_found() {
        let known = customer("Ana|SI10039856||||a@example.com");
        assert!(known.email_key().is_some());
        let gone = Customer { deleted_at: Some(OffsetDateTime::UNIX_EPOCH), ..known };
        assert_eq!((gone.tax_key(), gone.name_key(), gone.email_key()), (None, None, None));
    }

    #[test]
    fn an_address_for_mail_is_one_whatever_the_capitals_unless_numbers_differ() {
        for (one, other, same) in [
            ("Ana|||||a@example.com", "Bor|||||A@example.com", true),
            ("Ana|||||a@example.com", "Ana|||||b@example.com", false),
            ("Ana", "Ana", false),
            ("Ana|SI10039856||||a@example.com", "Ana|||||a@example.com", true),
            ("Ana|SI10039856||||a@example.com", "Ana|SI59082437||||a@example.com", false),
        ] {
            let (one, other) = (customer(one), customer(other));
            assert_eq!(one.is_written_to_as(&other), same, "{one:?} {other:?}");
            assert_eq!(other.is_written_to_as(&one), same, "{one:?} {other:?}");
            assert!(!same || one.email_key() == other.email_key());
        }
    }
}
