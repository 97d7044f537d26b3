//! What pages say, in the languages of the mails that lead to them.

use actix_web::http::header::{ACCEPT_LANGUAGE, HeaderMap};

/// A page with a form: heading, what is to be done, the button.
pub(super) struct Asked {
    pub title: &'static str,
    pub text: &'static str,
    pub button: &'static str,
    /// When it is done.
    pub done: &'static str,
    pub done_text: &'static str,
}

/// All words of a language.
pub(super) struct Words {
    /// Its code.
    pub language: &'static str,
    pub verify: Asked,
    pub reset: Asked,
    pub invitation: Asked,
    pub name: &'static str,
    pub password: &'static str,
    pub new_password: &'static str,
    pub bad_token: &'static str,
    pub weak_password: &'static str,
    pub wrong_password: &'static str,
    pub failed: &'static str,
}

/// The words that are asked for by the link, or else by the browser.
pub(super) fn words(asked: Option<&str>, headers: &HeaderMap) -> &'static Words {
    let browser = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let wanted = asked.into_iter().chain(browser.into_iter().flat_map(|list| list.split(',')));
    let language = |text: &str| text.split(['-', ';']).next().unwrap_or_default().trim().to_owned();
    let known = |text: &str| {
        let language = language(text);
        [&ENGLISH, &SLOVENIAN, &CROATIAN, &GERMAN].into_iter().find(|one| one.language == language)
    };
    wanted.into_iter().find_map(known).unwrap_or(&ENGLISH)
}

static ENGLISH: Words = Words {
    language: "en",
    verify: Asked {
        title: "Confirm your address",
        text: "Please confirm that you signed up with this e-mail address. If you did not, close \
               this page.",
        button: "Confirm",
        done: "Your address is confirmed",
        done_text: "Thank you. You can close this page.",
    },
    reset: Asked {
        title: "Set a new password",
        text: "At least 8 characters, one of them a lower-case letter.",
        button: "Set password",
        done: "Your new password is set",
        done_text: "You were logged out everywhere. Log in with the new password.",
    },
    invitation: Asked {
        title: "Accept the invitation",
        text: "Choose a password: at least 8 characters, one of them a lower-case letter. If you \
               have a user with this address already, enter its password.",
        button: "Accept",
        done: "You accepted the invitation",
        done_text: "You can log in with your e-mail address and password now.",
    },
    name: "Your name",
    password: "Password",
    new_password: "New password",
    bad_token: "This link was used already, or is over. Ask for another mail.",
    weak_password: "This password is not accepted: it needs 8 to 200 characters, one of them a \
                    lower-case letter, and must not be among the most common ones.",
    wrong_password: "This address has a user already, and this is not its password.",
    failed: "That did not work. Please try again later.",
};

static SLOVENIAN: Words = Words {
    language: "sl",
    verify: Asked {
        title: "Potrdite svoj naslov",
        text: "Potrdite, da ste se prijavili s tem e-poštnim naslovom. Če se niste, \
               zaprite to stran.",
        button: "Potrdi",
        done: "Vaš naslov je potrjen",
        done_text: "Hvala. To stran lahko zaprete.",
    },
    reset: Asked {
        title: "Nastavite novo geslo",
        text: "Vsaj 8 znakov, med njimi mala črka.",
        button: "Nastavi geslo",
        done: "Novo geslo je nastavljeno",
        done_text: "Povsod ste odjavljeni. Prijavite se z novim geslom.",
    },
    invitation: Asked {
        title: "Sprejmite vabilo",
        text: "Izberite geslo: vsaj 8 znakov, med njimi mala črka. Če s tem naslovom že imate \
               uporabnika, vpišite njegovo geslo.",
        button: "Sprejmi",
        done: "Vabilo ste sprejeli",
        done_text: "Zdaj se lahko prijavite s svojim e-poštnim naslovom in geslom.",
    },
    name: "Vaše ime",
    password: "Geslo",
    new_password: "Novo geslo",
    bad_token: "Ta povezava je že uporabljena ali pa je potekla. Zahtevajte novo sporočilo.",
    weak_password: "To geslo ni sprejeto: potrebuje od 8 do 200 znakov, med njimi malo črko, in ne \
                    sme biti med najpogostejšimi.",
    wrong_password: "Ta naslov že ima uporabnika in to ni njegovo geslo.",
    failed: "Ni uspelo. Poskusite znova pozneje.",
};

static CROATIAN: Words = Words {
    language: "hr",
    verify: Asked {
        title: "Potvrdite svoju adresu",
        text: "Potvrdite da ste se prijavili ovom adresom e-pošte. Ako niste, \
               zatvorite ovu stranicu.",
        button: "Potvrdi",
        done: "Vaša je adresa potvrđena",
        done_text: "Hvala. Možete zatvoriti ovu stranicu.",
    },
    reset: Asked {
        title: "Postavite novu lozinku",
        text: "Najmanje 8 znakova, među njima malo slovo.",
        button: "Postavi lozinku",
        done: "Nova je lozinka postavljena",
        done_text: "Svugdje ste odjavljeni. Prijavite se novom lozinkom.",
    },
    invitation: Asked {
        title: "Prihvatite poziv",
        text: "Odaberite lozinku: najmanje 8 znakova, među njima malo slovo. Ako s ovom adresom \
               već imate korisnika, upišite njegovu lozinku.",
        button: "Prihvati",
        done: "Prihvatili ste poziv",
        done_text: "Sada se možete prijaviti svojom adresom e-pošte i lozinkom.",
    },
    name: "Vaše ime",
    password: "Lozinka",
    new_password: "Nova lozinka",
    bad_token: "Ova je poveznica već iskorištena ili je istekla. Zatražite novu poruku.",
    weak_password: "Ova lozinka nije prihvaćena: treba od 8 do 200 znakova, među njima malo slovo, \
                    i ne smije biti među najčešćima.",
    wrong_password: "Ova adresa već ima korisnika, a ovo nije njegova lozinka.",
    failed: "Nije uspjelo. Pokušajte ponovno kasnije.",
};

static GERMAN: Words = Words {
    language: "de",
    verify: Asked {
        title: "Bestätigen Sie Ihre Adresse",
        text: "Bestätigen Sie, dass Sie sich mit dieser E-Mail-Adresse angemeldet haben. Wenn \
               nicht, schließen Sie diese Seite.",
        button: "Bestätigen",
        done: "Ihre Adresse ist bestätigt",
        done_text: "Danke. Sie können diese Seite schließen.",
    },
    reset: Asked {
        title: "Neues Passwort setzen",
        text: "Mindestens 8 Zeichen, davon ein Kleinbuchstabe.",
        button: "Passwort setzen",
        done: "Ihr neues Passwort ist gesetzt",
        done_text: "Sie wurden überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.",
    },
    invitation: Asked {
        title: "Einladung annehmen",
        text: "Wählen Sie ein Passwort: mindestens 8 Zeichen, davon ein Kleinbuchstabe. Wenn Sie \
               mit dieser Adresse schon angemeldet sind, geben Sie Ihr bisheriges Passwort ein.",
        button: "Annehmen",
        done: "Sie haben die Einladung angenommen",
        done_text: "Sie können sich jetzt mit E-Mail-Adresse und Passwort anmelden.",
    },
    name: "Ihr Name",
    password: "Passwort",
    new_password: "Neues Passwort",
    bad_token: "Dieser Link wurde schon benutzt oder gilt nicht mehr. Fordern Sie eine neue \
                Nachricht an.",
    weak_password: "Dieses Passwort wird nicht angenommen: es braucht 8 bis 200 Zeichen, davon \
                    einen Kleinbuchstaben, und darf keines der häufigsten sein.",
    wrong_password: "Diese Adresse gehört schon jemandem, und das ist nicht das Passwort dazu.",
    failed: "Das hat nicht geklappt. Bitte versuchen Sie es später noch einmal.",
};

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn the_link_says_the_language_and_else_the_browser_does() {
        let browser = |list: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(list));
            headers
        };
        for (asked, list, language) in [
            (Some("sl"), "de-AT,de;q=0.9", "sl"),
            (Some("hr-HR"), "", "hr"),
            (Some("fi"), "fr, de;q=0.8", "de"),
            (None, "de-AT,en;q=0.5", "de"),
            (None, "fr", "en"),
            (None, "", "en"),
        ] {
            assert_eq!(words(asked, &browser(list)).language, language, "{asked:?} {list}");
        }
    }
}
