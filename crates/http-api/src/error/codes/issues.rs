//! The codes of what is wrong with a field.

use super::{Code, Level};

/// Codes of issues, in `cause.issues[].code`; the first is in `cause.code`.
pub(super) const ISSUES: &[Code] = codes! {
    Issue archived [422] "The record is archived. Choose another one, or none.";
    Issue conflicting [422] "Two properties exclude each other. Send one of them.";
    Issue credit_exceeds_remaining [422]
        "More would be credited, refunded or settled than is left; `cause` has the figures.";
    Issue currency_ended [422]
        "The currency is no longer quoted; the message says until when it was. Take an earlier \
         date, or another currency.";
    Issue credit_note_not_supported [422]
        "An expense is an invoice, and the file is a credit note. Lower the expense by hand.";
    Issue currency_mismatch [422] "The currencies differ. Choose a document of the same currency.";
    Issue date_before_document [422] "The day lies before the document's date.";
    Issue date_before_series [422]
        "The day lies before the first day of the series. Name another series, or a later day.";
    Issue date_before_service [422] "The day lies before the first day of the service.";
    Issue date_in_future [422]
        "The day lies in the future. Make a draft, or send today or an earlier day.";
    Issue date_not_day_of_issue [422]
        "A fiscalized document is dated on the day of its issue. Leave the date out.";
    Issue date_not_in_order [422]
        "The day lies before that of the series' last document. Send that day or a later one.";
    Issue date_too_early [422] "There are no rates for the day. Take a later one.";
    Issue discount_exceeds_line_total [422] "The discounts come to more than the line.";
    Issue document_is_draft [422] "The document is a draft. Finalize it first, or delete it.";
    Issue document_too_large [422]
        "A document holds 512 KiB at most. Shorten the texts of its lines, or make several.";
    Issue document_voided [422] "The document is voided and stays as it is. Make a new one.";
    Issue dtd_not_allowed [422] "The XML has a document type declaration. Send it without one.";
    Issue duplicate [409, 422]
        "Another record has this value, or it was sent twice. Choose another.";
    Issue duplicate_document_number [422]
        "A warning: the supplier has a document of this number already. Look at that one.";
    Issue duplicate_field [422]
        "A property was sent twice, and which one counts would be a guess. Send it once.";
    Issue duplicate_tax [422] "A line has the same tax twice.";
    Issue e_invoice_rule [422]
        "The document breaks a rule of electronic invoices; the message begins with its number. \
         Change the field.";
    Issue end_before_start [422] "The end lies before the beginning.";
    Issue environment_mismatch [422]
        "The key or session is of the other environment. Leave `environment` out, or use the \
         other key.";
    Issue exchange_rate_missing [422]
        "As a warning: the document is in another currency than its entity's, and is not \
         converted. Send `exchange_rate`.";
    Issue expired [422] "The certificate is over. Upload one that is valid.";
    Issue fina_total_too_high [422]
        "CIS takes no receipt of so much by this means. Divide the sale, or agree on another \
         means.";
    Issue immutable [422] "The property stays as it is. Leave it out, or make another record.";
    Issue invalid_characters [422] "The text holds characters that are not taken here.";
    Issue invalid_country_code [422] "Expected two letters of ISO 3166-1.";
    Issue invalid_currency [422] "Expected a currency of ISO 4217.";
    Issue invalid_cursor [422]
        "The cursor is none of this list and order. Begin again at the first page.";
    Issue invalid_date [422] "Expected a day as `YYYY-MM-DD`.";
    Issue invalid_date_time [422] "Expected an instant as `YYYY-MM-DDThh:mm:ssZ`.";
    Issue invalid_domain [422]
        "The host is none of a shop at the platform; the message says how one is named.";
    Issue invalid_email [422] "Expected an e-mail address.";
    Issue invalid_encoding [422] "The XML is neither in UTF-8 nor, with a mark ahead, in UTF-16.";
    Issue invalid_iban [422]
        "The number is no IBAN: its length or its check digits are wrong. Look at it again; mostly \
         a warning.";
    Issue invalid_id [422] "The id is none of the kind that is expected.";
    Issue invalid_json [422] "The text of the parameter is not JSON.";
    Issue invalid_length [422] "There are too few or too many; the message names the bounds.";
    Issue invalid_period [422] "The last day lies before the first.";
    Issue invalid_range [422] "The end lies before the beginning.";
    Issue invalid_reference [422]
        "It begins as a reference of payments does (`SI`, `HR` or `RF` with two digits), and its \
         check digits, parts or length are wrong. Look at it again.";
    Issue invalid_state [422]
        "The state is of another sign-in than the attempt. Begin the sign-in again.";
    Issue invalid_token [422] "The token is unknown, used or over. Ask for another.";
    Issue invalid_type [422]
        "The value is of another JSON type than is taken; the message names it.";
    Issue invalid_url [422] "Expected an https address.";
    Issue invalid_value [422] "The value is none that is taken; the message says what is.";
    Issue keys_live_on [422]
        "A warning: keys that the user made act with a higher role than theirs. Send \
         `end_keys: true` to end them.";
    Issue leitweg_id_check_digits [422]
        "A warning: the check digits of the Leitweg-ID do not fit. Compare it with the \
         authority's.";
    Issue linked_document_invalid [422]
        "A document that is named cannot be linked; the issues say which and why.";
    Issue malformed_json [422] "The body is no JSON.";
    Issue negative [422] "The number must be at least 0.";
    Issue no_private_key [422]
        "The file holds no private key. Export the certificate with its key.";
    Issue no_rate [422] "The tax has no rate on that day.";
    Issue no_run [422] "The recurring invoice would never make one. Move `end_date`.";
    Issue no_tax_number [422] "The certificate names no taxpayer.";
    Issue not_allowed [422] "The property is not taken here; the message says where it is.";
    Issue not_an_invoice [422]
        "The file is no electronic invoice that is read here: UBL, CII, e-SLOG or a hybrid PDF.";
    Issue not_applicable [422] "The property says nothing here. Leave it out.";
    Issue not_forward [422] "The test clock only goes on. Send a later instant.";
    Issue not_found [422] "There is no such record in the entity.";
    Issue not_in_portugal [422]
        "The law of Portugal does not allow it in a certified document; the message says what is.";
    Issue not_p12 [422] "The file is no P12 or PFX file.";
    Issue not_permitted [422] "The caller's role does not allow this property.";
    Issue not_updatable [422] "The property is set when the record is made, and stays.";
    Issue not_yet_valid [422] "The certificate is not valid yet.";
    Issue nothing_due [422] "Nothing is due, so there is nothing to pay.";
    Issue number_format_invalid [422]
        "The number format cannot give unique numbers; the message says why.";
    Issue number_locked [422] "The document's number stays, and this would need another.";
    Issue number_used [422] "The sequence has numbers already, so its start stays.";
    Issue operator_missing [422]
        "A warning: no operator is known. Store one in the settings.";
    Issue other_taxpayer [422] "The certificate is of another taxpayer than the entity.";
    Issue out_of_range [422]
        "The number lies outside of what is taken; the message names the bounds.";
    Issue p12_too_costly [422]
        "Opening the file takes more than a certificate's does; the message says how much may be.";
    Issue pt_series_closed [422] "The series is closed for good. Name another one.";
    Issue pt_series_missing [422]
        "No active series is for this document. Make one by POST \
         /fiscalization/pt/atcud-series.";
    Issue pt_series_of_other_type [422]
        "The series is for other documents. Leave it out, or name one of the document's type.";
    Issue quantity_exceeds_original [422]
        "More is given back than was sold of it. Send what was sold, or less.";
    Issue rate_not_published [422]
        "The European Central Bank published no rate of the currency for the day. Take a rate of \
         another source.";
    Issue rate_not_sold [422]
        "Nothing of it was sold at this rate, so none is given back at it. Send the rate of the \
         sale.";
    Issue participant_id [422]
        "Expected an identifier of the network, such as `9949:SI10039856`, with a scheme of four \
         digits.";
    Issue repeated_parameter [422] "A query parameter was sent twice. Send it once.";
    Issue required [422] "The property is needed.";
    Issue reserved [422] "The value is kept for what the service makes itself.";
    Issue sales_book_form_used [422]
        "A document was entered from this form of the bound book. Look at the number on the form.";
    Issue sandbox_only [422] "This is for entities of the sandbox.";
    Issue sandbox_recipient [422]
        "In the sandbox mail goes to verified users of the account only. Send it to one, or \
         skip the delivery.";
    Issue secret_in_address [422]
        "A key stands in the address, where it is logged. Name it by its `key_id`, and end it.";
    Issue service_period_missing [422]
        "A warning: a line is to be spread over days of service, and none are known. Send \
         `date_from` and `date_to` with it, or `date_service` and `date_service_to`.";
    Issue several_currencies [422]
        "The invoices are in several currencies. Name one in `currency_code`.";
    Issue table_inactive [422] "The table is not active. Activate it first.";
    Issue tax_number_check_digits [422]
        "The check digits of the tax number are wrong. Look at it again; mostly a warning.";
    Issue tax_number_form [422]
        "The tax number has not the form that its country gives. Look at it again; mostly a \
         warning.";
    Issue taxpayer_number [422]
        "A warning: the certificate is of another taxpayer, or the entity has no number.";
    Issue taxpayer_outside_vat [422]
        "A taxpayer outside the VAT system charges none. Send `\"taxes\": []`.";
    Issue template_voided [422] "The invoice that is to be repeated is voided. Choose another.";
    Issue too_common [422] "The password is among those that are guessed first. Choose another.";
    Issue too_far [422] "The test clock goes at most two years on at once. Go on in steps.";
    Issue too_long [422] "The text is longer than is kept; the message names the bound.";
    Issue too_many [422] "There are more than are taken; the message names the bound.";
    Issue too_many_decimals [422] "The number has more decimal places than are kept.";
    Issue too_many_properties [422] "There are more properties than are kept.";
    Issue too_short [422] "The text is shorter than is taken; the message names the bound.";
    Issue too_weak [422] "The password is too easy to guess; the message says what it lacks.";
    Issue totals_disagree [422] "The totals that were sent do not add up.";
    Issue unknown_country [422] "The country is not known. Send its code of ISO 3166-1.";
    Issue unknown_currency [422] "The currency is not known. Send a code of ISO 4217.";
    Issue unknown_event [422] "There is no such event. The message lists those that there are.";
    Issue unknown_field [422]
        "There is no such property. The message names the nearest, or those that there are.";
    Issue unknown_locale [422] "There is no such locale. The message lists those that there are.";
    Issue unknown_operator [422] "There is no such operator of filters.";
    Issue unknown_parameter [422]
        "The operation has no such query parameter. The message names the nearest, or those \
         that it has.";
    Issue unknown_placeholder [422]
        "The text names a variable that there is not. Use one of those that the message lists.";
    Issue unknown_tax_rate [422] "A warning: the country has no such rate of VAT on this day.";
    Issue unknown_timezone [422] "The time zone is not known. Send a name of the IANA database.";
    Issue unknown_topic [422]
        "The webhook does not say what it is about; the message names the topics that there are.";
    Issue unsupported_key [422] "The key is of a kind that cannot sign here.";
    Issue unsupported_operator [422] "The field cannot be filtered so.";
    Issue url_not_allowed [422] "The address is not one that is posted to.";
    Issue vat_differs_from_base [422]
        "A warning: rounded lines add up to another tax than the rate of the sum gives. CIS notes \
         it.";
    Issue wrong_code [422]
        "This is none of the codes of the user's second factor, or it was used. Say the one that \
         the app shows now, or a recovery code.";
    Issue wrong_passphrase [422] "The passphrase does not open the file.";
    Issue wrong_password [422] "This is not the user's password.";
};
