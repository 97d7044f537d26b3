//! Postal addresses: one declaration of their fields for all that has one.

use crate::Issue;

/// A postal address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostalAddress {
    /// First line of the address.
    pub address: Option<String>,
    /// Second line of the address.
    pub address_2: Option<String>,
    /// Post code.
    pub post_code: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or region.
    pub state: Option<String>,
    /// Country as written.
    pub country: Option<String>,
    /// ISO 3166-1 alpha-2 code, in capitals.
    pub country_code: Option<String>,
}

/// Whether `code` has the two letters of a country code, in either case.
///
/// # Errors
/// `invalid_country_code`.
pub fn check_country_code(code: &str) -> Result<(), Issue> {
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(());
    }
    let message = "expected a country code of two letters, such as SI";
    Err(Issue::new("invalid_country_code", message))
}

/// Declares a struct that has the fields of a [`PostalAddress`] among its own, as the interface and
/// stored records have them, and moves an address in and out as one value.
///
/// `pub struct Customer { … }` has texts that may be missing; `pub struct CustomerInput of Patch
/// { … }` has what a request says of them.
///
/// ```
/// racun_kernel::addressed! {
///     /// A shop.
///     #[derive(Default)]
///     pub struct Shop {
///         /// Its name.
///         pub name: String,
///     }
/// }
/// let address = racun_kernel::PostalAddress {
///     city: Some("Kranj".to_owned()),
///     ..racun_kernel::PostalAddress::default()
/// };
/// let shop = Shop::default().with_postal_address(address.clone());
/// assert_eq!(shop.city.as_deref(), Some("Kranj"));
/// assert_eq!(shop.postal_address(), address);
/// ```
#[macro_export]
macro_rules! addressed {
    (@declare $text:ty; $(#[$meta:meta])* $name:ident {
        $($(#[$field_meta:meta])* pub $field:ident: $kind:ty,)*
    }) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $kind,)*
            /// First line of the address.
            pub address: $text,
            /// Second line of the address.
            pub address_2: $text,
            /// Post code.
            pub post_code: $text,
            /// City.
            pub city: $text,
            /// State or region.
            pub state: $text,
            /// Country as written.
            pub country: $text,
            /// ISO 3166-1 alpha-2 code.
            pub country_code: $text,
        }
    };
    ($(#[$meta:meta])* pub struct $name:ident of Patch { $($fields:tt)* }) => {
        $crate::addressed! {
            @declare $crate::Patch<String>; $(#[$meta])* $name { $($fields)* }
        }

        impl $name {
            /// The same with `address`: fields that it lacks are cleared.
            #[must_use]
            pub fn with_postal_address(self, address: $crate::PostalAddress) -> Self {
                Self {
                    address: address.address.into(),
                    address_2: address.address_2.into(),
                    post_code: address.post_code.into(),
                    city: address.city.into(),
                    state: address.state.into(),
                    country: address.country.into(),
                    country_code: address.country_code.into(),
                    ..self
                }
            }
        }
    };
    ($(#[$meta:meta])* pub struct $name:ident { $($fields:tt)* }) => {
        $crate::addressed! { @declare Option<String>; $(#[$meta])* $name { $($fields)* } }

        impl $name {
            /// Its postal address.
            #[must_use]
            pub fn postal_address(&self) -> $crate::PostalAddress {
                $crate::PostalAddress {
                    address: self.address.clone(),
                    address_2: self.address_2.clone(),
                    post_code: self.post_code.clone(),
                    city: self.city.clone(),
                    state: self.state.clone(),
                    country: self.country.clone(),
                    country_code: self.country_code.clone(),
                }
            }

            /// The same at `address`.
            #[must_use]
            pub fn with_postal_address(self, address: $crate::PostalAddress) -> Self {
                Self {
                    address: address.address,
                    address_2: address.address_2,
                    post_code: address.post_code,
                    city: address.city,
                    state: address.state,
                    country: address.country,
                    country_code: address.country_code,
                    ..self
                }
            }
        }
    };
}
