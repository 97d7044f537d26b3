//! The table of codes.

use super::{Code, Level};

/// Declares codes: level, name, statuses, `for now` where the same request may succeed later, and
/// what it means with what to do about it.
macro_rules! codes {
    (@is_for_now) => { false };
    (@is_for_now for now) => { true };
    ($($level:ident $name:ident [$($status:literal),*] $(for $now:ident)? $meaning:literal;)*) => {
        &[$(Code {
            name: stringify!($name),
            level: Level::$level,
            statuses: &[$($status),*],
            is_for_now: codes!(@is_for_now $(for $now)?),
            meaning: $meaning,
        }),*]
    };
}

/// Codes that stand at the top of an answer: of a status, or in the place of that of the status.
pub(super) const ANSWERS: &[Code] = codes! {
    Answer bad_request [400]
        "The request cannot be read: no JSON, a header twice, several entities to choose from. \
         Mend what the message names.";
    Answer unauthorized [401] "Nobody known makes the request. Send a valid key or log in again.";
    Answer forbidden [403]
        "Whoever makes the request may not. `cause.code` says which rule refuses.";
    Answer not_found [404]
        "There is no such path, or no such record in reach. Look at the id, the entity and the \
         environment.";
    Answer method_not_allowed [405]
        "The path does not take this method. `Allow` lists those that it takes.";
    Answer request_timeout [408] for now
        "The request, or its body, did not arrive in time. Send it again.";
    Answer conflict [409] "Something else stands in the way. `cause.code` says what.";
    Answer payload_too_large [413] "The body is longer than is read. Send less of it.";
    Answer unsupported_media_type [415]
        "The body or file is of another type than is read. Send the type that the message names.";
    Answer unprocessable_entity [422]
        "The request was read, and something in it is wrong. `cause.issues` says what, or \
         `cause.code` which rule refuses.";
    Answer pin_locked [423] for now
        "The PIN is locked after too many failures. Wait for `Retry-After`.";
    Answer rate_limit_exceeded [429] for now
        "Too many requests came in this minute. Wait for `Retry-After`.";
    Answer head_too_large [431]
        "The head of the request is longer than is read: 96 fields, 128 KiB. Send less of it.";
    Answer internal_server_error [500] for now
        "The service failed. Send the request again; quote `X-Request-Id` when you ask.";
    Answer service_unavailable [503] for now
        "The service, or somebody that it needs, cannot answer now. Send the request again \
         after `Retry-After`.";
    Answer invalid_pin [403]
        "The operator's PIN is wrong. `cause.attempts_remaining` says how often it may be tried.";
    Answer email_verification_required [403]
        "The user's own address is not verified. Open the link in the mail, or have it sent \
         again.";
    Answer email_rate_limit_exceeded [429] for now
        "As many mails were sent as may be. Wait for `Retry-After`.";
    Answer already_claimed [409] for now
        "Another device takes the payment of the tab. Wait until it closes or releases it.";
    Answer not_claimant [403]
        "Another device has claimed the tab. Only that one releases it until the claim runs out.";
    Answer not_claimed [409] for now
        "Nobody has claimed the tab. Claim it, and send the request again.";
    Answer stale_version [409] for now
        "The tab is at another version than was seen; `tab` is what it is now. Look at it, and \
         send the change again.";
    Answer tab_issued [409] "The tab ended in an invoice and stays as it is. Open another one.";
    Answer tab_issued_otherwise [409]
        "The tab was closed with another invoice. Look at `tab.invoice_id`.";
    Answer tab_cancelled [409] "The tab is cancelled and stays as it is. Open another one.";
    Answer idempotency_conflict [409]
        "The key names another request. Choose a new key for a new request.";
    Answer request_in_progress [409] for now
        "The first request with this key has no answer yet. Send it again in a moment.";
    Answer share_invoiced [409]
        "This share of the tab is invoiced already. Invoice one that is left; `tab` says which.";
    Answer shares_outstanding [409]
        "The tab is being invoiced in equal shares. Invoice the others, each by its number.";
};

/// Codes of rules, in `cause.code`.
pub(super) const REASONS: &[Code] = codes! {
    Reason account_not_accessible [403]
        "The account is not one of the caller's. Look at `x-account-id`.";
    Reason address_not_allowed [403]
        "The key may not be used from this address. See its `allowed_addresses`.";
    Reason advance_not_fully_paid [422]
        "An advance invoice is issued when it is paid exactly; `cause` has the figures. Send \
         payments of its total.";
    Reason advance_payment_locked [422]
        "The advance invoice is issued, so its payments stay. Void it and make a new one.";
    Reason already_invited [409] "The address has a pending invitation. Resend or cancel that.";
    Reason already_member [409] "The user has a role in the entity. Change the role.";
    Reason ambiguous_key [409] "Several keys have this hint. Name the key by its id.";
    Reason answer_lost [409]
        "The request with this key was carried out, and its answer is lost. Read what is there \
         before sending another.";
    Reason body_too_large [413]
        "The body is longer than the operation takes; `cause.limit_bytes` says how long it may be. \
         Send less of it.";
    Reason certificate_expired [422] "The certificate is over. Upload one that is valid.";
    Reason certificate_invalid [422]
        "The certificate cannot be used; the issue says why. Upload another.";
    Reason certificate_missing [422] "The entity has no certificate of the authority. Upload one.";
    Reason certificate_sealed [503]
        "The certificate cannot be read with the server's master key. Upload it again, or \
         restore the key.";
    Reason changed_meanwhile [409] for now
        "Somebody else changed it at the same moment. Send the request again.";
    Reason country_not_supported [422] "This is not for entities of this country.";
    Reason day_closed [409]
        "The day was closed before; `closing` is that. What came later is in the next closing.";
    Reason delivery_is_test [422] "A test is not replayed. Send another test.";
    Reason delivery_under_way [409] for now
        "The delivery has not ended. Wait until it has, then replay it.";
    Reason device_inactive [422] "The device is deactivated for good. Make one with another name.";
    Reason device_missing [422] "No open premise has an active device. Make one first.";
    Reason document_credited [422] "Credit notes stand on the document. Void them first.";
    Reason document_fiscalized [422]
        "The document is fiscalized and stays as it is. Issue a credit note.";
    Reason document_linked [422] "An invoice uses the document. Void that invoice first.";
    Reason document_not_draft [422]
        "Only a draft can be finalized or deleted. Void the document, or issue a credit note.";
    Reason document_not_editable [422]
        "Issued documents are not edited in this country. Void the document and make a new one.";
    Reason document_not_to_fiscalize [422]
        "The document is fiscalized, or no authority asks for it.";
    Reason document_not_voidable [422]
        "Documents of this kind are not voided. Reject the estimate, or let it run out.";
    Reason document_settled [422] "Payments stand on the document. Delete them first.";
    Reason email_taken [409] "A user has this address. Log in instead.";
    Reason entity_disabled [403] "The entity is disabled. Enable it first.";
    Reason entity_not_accessible [403]
        "The entity is not one of the caller's, or of the key's other environment. Look at \
         `x-entity-id`.";
    Reason entity_required [400] "The caller reaches several entities. Name one in `x-entity-id`.";
    Reason eslog_invalid [422]
        "The document is not valid as e-SLOG; the issues, or its `eslog.validation_errors`, name \
         the fields to change.";
    Reason estimate_accepted [422] "The estimate is accepted already.";
    Reason estimate_expired [422]
        "The estimate ran out. Make a new one, or move `date_valid_till`.";
    Reason estimate_rejected [422] "The estimate is rejected already.";
    Reason expected_total_mismatch [422]
        "The calculated total is too far from the expected one; `cause` has both.";
    Reason feature_not_available [403]
        "The entity's plan does not have this. Choose a plan that does.";
    Reason fina_cannot_skip [422] "In Croatia fiscalization cannot be skipped. Leave `skip` out.";
    Reason fina_cis_record_unavailable [422]
        "What CIS was told of the invoice was not kept, so no change is reported. Issue a \
         credit note and a new invoice.";
    Reason fina_payment_change_unconfirmed [409] for now
        "Whether an earlier change of a payment's type was made is not known. Send that change \
         again first.";
    Reason fina_payment_change_unrecorded [500] for now
        "CIS took the change and it could not be stored here. Send the same change again.";
    Reason fina_payment_change_window_expired [422]
        "CIS takes a change only on the day of issue. Issue a credit note and a new invoice.";
    Reason fina_receipt_unconfirmed [409] for now
        "CIS has not confirmed the invoice. Wait for `fina.data.jir`, or fiscalize it again; \
         then send the change again.";
    Reason fina_unreachable [503] for now "CIS did not answer. Send the same request again.";
    Reason fiscalization_not_configured [422]
        "Settings that fiscalizing needs are missing; the message names them.";
    Reason fiscalization_provider_error [422, 500, 503] for now
        "The authority refused; `cause.provider_code` and `cause.provider_message` are its words. \
         Mend what they name, which is often a setting or the certificate, and send the request \
         again.";
    Reason fiscalization_required_for_payment_type [422] for now
        "The invoice was issued without fiscalization, which this type of payment does not \
         allow. Fiscalize it, then send the change again.";
    Reason furs_skip_not_allowed [422]
        "FURS cannot be skipped with these payments. Leave `skip` out.";
    Reason furs_unreachable [503] for now "FURS did not answer. Send the same request again.";
    Reason in_trash [422] "The record is in the trash. Restore it first.";
    Reason insufficient_role [403]
        "The caller's role does not allow it. Ask an admin of the entity.";
    Reason invitation_expired [422] "The invitation ran out. Ask for it to be sent again.";
    Reason invitation_not_mailed [403]
        "The token was handed over, and its address has a user. Log in, verify the address and \
         accept in your own session, or ask for the invitation to be mailed.";
    Reason invitation_not_pending [422] "The invitation was accepted before. Log in.";
    Reason invitation_not_yours [403]
        "The invitation is for another address than the user's. Log in with that one.";
    Reason job_not_dead [409] "The job is not one that was given up.";
    Reason last_admin [422] "An entity keeps an admin. Make somebody else one first.";
    Reason master_key_missing [503]
        "The server was given no master key, so it keeps no secrets. Set `security.master_key`.";
    Reason no_overdue_invoices [422] "The customer has no overdue invoices.";
    Reason no_payment_processor [422]
        "The plan has a price, and nobody here takes payments. Choose a free one.";
    Reason no_subscription [404] "The entity has no subscription.";
    Reason not_in_trash [422] "The record is not in the trash. Delete it first.";
    Reason number_taken [409]
        "Two number formats give the same number. Change one in `settings.number_formats`.";
    Reason numbering_locked [422] "Invoices were numbered so already, so the strategy stays.";
    Reason payment_exceeds_total [422]
        "Payments would come to more than the document; `cause` has the figures.";
    Reason payment_system_managed [422]
        "Settlement keeps this payment. Change the documents that it settles.";
    Reason password_locked [429] for now
        "Too many passwords failed with this address. Wait for `Retry-After`, or set a new one by \
         mail.";
    Reason plan_limit_reached [403] for now
        "What the plan allows in this period is used up. Choose another plan, or wait for the \
         next period.";
    Reason pos_operator_scope [403]
        "An operator's token does not reach this. Use a key or a user's token.";
    Reason premise_closed [422] "The premise is closed for good. Make one with another name.";
    Reason premise_missing [422] "There is no open premise. Register one first.";
    Reason query_too_expensive [422]
        "The list takes too long. Filter by a day, a customer or a state, or order by another \
         field.";
    Reason recurring_completed [422]
        "The recurring invoice has come to its end. Move its `end_date`.";
    Reason recurring_not_active [422]
        "The recurring invoice is not active. Resume it, or move its `end_date`.";
    Reason recurring_not_paused [422] "The recurring invoice is not paused.";
    Reason recurring_period_passed [422]
        "This period's invoice is made, or the period is no longer due.";
    Reason registration_in_progress [409] for now
        "Another request registers a premise of this name. Send the request again in a minute.";
    Reason sign_up_by_invitation [403]
        "New users need an invitation here. Ask an admin of an entity for one.";
    Reason sign_up_closed [403]
        "The server takes no new users. Log in with an address that has one.";
    Reason starting_number_locked [422]
        "The device has numbered invoices, so its starting number stays.";
    Reason storage_full [503] for now
        "The service's disk is full. Send the request again after `Retry-After`; reads go on.";
    Reason storage_limit [403] for now
        "The account stores as much as it may; `cause` has the figures. Delete files or verify an \
         address, then send the request again.";
    Reason subscription_inactive [403] "The entity's subscription is over. Activate a plan.";
    Reason switch_ended [403]
        "The operator's PIN was changed or removed. Switch to the operator again.";
    Reason table_in_use [409] "A tab is open on the table. Close, cancel or move it first.";
    Reason tax_profile_missing [422]
        "The entity's tax profile does not allow it; the message says what to set in it.";
    Reason too_many_devices [422]
        "The premise has as many devices as it may have, deactivated ones included.";
    Reason too_many_keys [422]
        "There are as many API keys as there may be. Delete one that is not used.";
    Reason too_many_members [422] "The entity has as many users and invitations as it may have.";
    Reason too_many_premises [422]
        "The entity has as many premises as it may have, closed ones included.";
    Reason too_many_tables [422] "The entity has as many tables as it may have. Delete one first.";
    Reason too_many_webhooks [422]
        "There are as many webhooks as there may be. Delete one that is not used.";
    Reason ujp_invalid [422]
        "The document is not valid for UJP; the issues, or its `ujp.validation_errors`, name the \
         fields to change.";
    Reason user_required [403] "Only a person may do this, not an API key. Log in.";
    Reason viewer_has_no_pin [422] "A viewer cannot use a till. Make them an editor first.";
    Reason webhook_inactive [422] "The webhook is not active. Set `active` to true, then replay.";
    Reason xrechnung_invalid [422]
        "The document is not valid as XRechnung; the issues, or its \
         `xrechnung.validation_errors`, name the fields to change.";
    Reason zugferd_invalid [422]
        "The document is not valid as ZUGFeRD; the issues, or its `zugferd.validation_errors`, \
         name the fields to change.";
};

/// Codes of issues, in `cause.issues[].code`; the first is in `cause.code`.
pub(super) const ISSUES: &[Code] = codes! {
    Issue archived [422] "The record is archived. Choose another one, or none.";
    Issue conflicting [422] "Two properties exclude each other. Send one of them.";
    Issue credit_exceeds_remaining [422]
        "More would be credited, refunded or settled than is left; `cause` has the figures.";
    Issue currency_mismatch [422] "The currencies differ. Choose a document of the same currency.";
    Issue date_before_document [422] "The day lies before the document's date.";
    Issue date_before_service [422] "The day lies before the first day of the service.";
    Issue date_in_future [422]
        "The day lies in the future. Make a draft, or send today or an earlier day.";
    Issue date_not_day_of_issue [422]
        "A fiscalized document is dated on the day of its issue. Leave the date out.";
    Issue discount_exceeds_line_total [422] "The discounts come to more than the line.";
    Issue document_is_draft [422] "The document is a draft. Finalize it first, or delete it.";
    Issue document_too_large [422]
        "A document holds 512 KiB at most. Shorten the texts of its lines, or make several.";
    Issue document_voided [422] "The document is voided and stays as it is. Make a new one.";
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
    Issue expired [422] "The certificate is over. Upload one that is valid.";
    Issue fina_total_too_high [422]
        "CIS takes no receipt of so much by this means. Divide the sale, or agree on another \
         means.";
    Issue invalid_characters [422] "The text holds characters that are not taken here.";
    Issue invalid_country_code [422] "Expected two letters of ISO 3166-1.";
    Issue invalid_currency [422] "Expected a currency of ISO 4217.";
    Issue invalid_cursor [422]
        "The cursor is none of this list and order. Begin again at the first page.";
    Issue invalid_date [422] "Expected a day as `YYYY-MM-DD`.";
    Issue invalid_date_time [422] "Expected an instant as `YYYY-MM-DDThh:mm:ssZ`.";
    Issue invalid_email [422] "Expected an e-mail address.";
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
    Issue negative [422] "The number must be at least 0.";
    Issue no_private_key [422]
        "The file holds no private key. Export the certificate with its key.";
    Issue no_rate [422] "The tax has no rate on that day.";
    Issue no_run [422] "The recurring invoice would never make one. Move `end_date`.";
    Issue no_tax_number [422] "The certificate names no taxpayer.";
    Issue not_allowed [422] "The property is not taken here; the message says where it is.";
    Issue not_applicable [422] "The property says nothing here. Leave it out.";
    Issue not_forward [422] "The test clock only goes on. Send a later instant.";
    Issue not_found [422] "There is no such record in the entity.";
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
        "A warning: nobody says who issues. Store an operator in the settings.";
    Issue other_taxpayer [422] "The certificate is of another taxpayer than the entity.";
    Issue out_of_range [422]
        "The number lies outside of what is taken; the message names the bounds.";
    Issue p12_too_costly [422]
        "Opening the file takes more than a certificate's does; the message says how much may be.";
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
    Issue unsupported_key [422] "The key is of a kind that cannot sign here.";
    Issue unsupported_operator [422] "The field cannot be filtered so.";
    Issue url_not_allowed [422] "The address is not one that is posted to.";
    Issue wrong_passphrase [422] "The passphrase does not open the file.";
    Issue wrong_password [422] "This is not the user's password.";
    Issue vat_differs_from_base [422]
        "A warning: rounded lines add up to another tax than the rate of the sum gives. CIS notes \
         it.";
};
