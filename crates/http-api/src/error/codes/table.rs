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
    Reason card_payment_not_recorded [422]
        "The card processor took money that cannot be recorded; the message says why. Mend that, \
         or give it back there.";
    Reason card_payment_not_taken [422]
        "The card processor has not taken the money, so there is nothing to invoice.";
    Reason card_payment_recorded [409] "The payment of the card processor is recorded already.";
    Reason card_processor_refused [422]
        "The card processor refused it, and says why. Change what it names, or give another card.";
    Reason card_processor_unreachable [503] for now
        "The card processor does not answer. Send the request again after `Retry-After`.";
    Reason certificate_expired [422] "The certificate is over. Upload one that is valid.";
    Reason certificate_invalid [422]
        "The certificate cannot be used; the issue says why. Upload another.";
    Reason certificate_missing [422] "The entity has no certificate of the authority. Upload one.";
    Reason certificate_sealed [503]
        "The certificate cannot be read with the server's master key. Upload it again, or \
         restore the key.";
    Reason changed_meanwhile [409] for now
        "Somebody else changed it at the same moment. Send the request again.";
    Reason clock_behind [422]
        "The server's clock shows a time before that of the last document of an active series. \
         Have the clock set, or close a series that ran ahead.";
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
    Reason document_not_to_send [422]
        "Only issued invoices and credit notes that are not void are sent.";
    Reason document_not_voidable [422]
        "Documents of this kind are not voided. Reject the estimate, or let it run out.";
    Reason document_settled [422] "Payments stand on the document. Delete them first.";
    Reason e_invoicing_enrolled [409]
        "The entity is enrolled already. Change what is to be changed.";
    Reason e_invoicing_not_connected [503]
        "This server is connected to no network of electronic invoices. The operator can change \
         that.";
    Reason e_invoicing_not_enabled [422]
        "The entity sends no electronic invoices. Turn that on in its settings of e-invoicing.";
    Reason e_invoicing_not_enrolled [422]
        "The entity may not send yet. Look at `enrollment` in its settings of e-invoicing.";
    Reason e_invoicing_provider_refused [422]
        "The provider of the network refused what it was asked. The message says why.";
    Reason e_invoicing_unreachable [503] for now
        "The network did not answer. Send the same request again.";
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
    Reason feature_not_available [403, 422]
        "The entity's plan, or its country, does not have this. Choose a plan that does.";
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
    Reason identity_mistrusted [401]
        "What the identity provider sent is not signed by it, not for this server, over, or of \
         another sign-in. Begin the sign-in again; when it stays so, ask the operator.";
    Reason identity_not_linked [409]
        "A user has the address that the provider names, and the identity is not linked to them. \
         Log in by password, and link it by POST /users/me/identities.";
    Reason identity_provider_unreachable [503] for now
        "The identity provider did not answer. Wait a moment, and begin the sign-in again.";
    Reason identity_refused [401]
        "The identity provider refused the code: it was used, is over, or is of another sign-in. \
         Begin the sign-in again.";
    Reason identity_taken [409]
        "The identity is linked to a user already. Unlink it there first.";
    Reason identity_without_address [403]
        "The person has no user, and the provider does not say that an address is theirs. Verify \
         one at the provider, or sign up.";
    Reason in_trash [422] "The record is in the trash. Restore it first.";
    Reason insufficient_role [403]
        "The caller's role does not allow it. Ask an admin of the entity.";
    Reason integration_inactive [422]
        "The integration is not active. Set `is_active` to true first.";
    Reason invalid_consent [401]
        "What came back from the platform is none of this server's consents, or came too late. \
         Ask for the page of consent again.";
    Reason invalid_signature [401]
        "The webhook is not signed with the secret of the integration, or of the card processor, \
         or too long ago. Set `webhook_secret` to the one that the shop shows.";
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
    Reason no_identity_provider [422]
        "People do not sign in by an identity provider here. Ask the operator to name one.";
    Reason no_overdue_invoices [422] "The customer has no overdue invoices.";
    Reason no_payment_method [422]
        "The plan is paid by card, and none is on file. Give one with \
         `POST /white-label-subscriptions/payment-method`, or on the page of `/checkout`.";
    Reason no_payment_processor [422]
        "The plan has a price, or a card is given, and nobody here takes such payments. Choose a \
         free plan, or ask the operator.";
    Reason no_payment_under_way [422]
        "No payment of the bill is under way. Say how one ended only while it is.";
    Reason no_second_factor [422] "The user has no second factor.";
    Reason no_subscription [404] "The entity has no subscription.";
    Reason not_in_trash [422] "The record is not in the trash. Delete it first.";
    Reason nothing_to_post [422]
        "No document of these days can be posted; the message says what was left out, and why. Ask \
         for days with invoices or credit notes, or mend those documents.";
    Reason nothing_to_verify [422]
        "The provider asks for no verification. Look at `enrollment` in the settings.";
    Reason number_taken [409]
        "Two number formats give the same number. Change one in `settings.number_formats`.";
    Reason numbering_locked [422] "Invoices were numbered so already, so the strategy stays.";
    Reason not_payable_by_card [422]
        "The document cannot be paid by card; the message says why not. Pay it otherwise.";
    Reason order_cancelled [422] "The order is cancelled and makes no document.";
    Reason order_invoiced [422] "The order has an invoice. Void that first.";
    Reason password_locked [429] for now
        "Too many passwords failed with this address. Wait for `Retry-After`, or set a new one by \
         mail.";
    Reason payment_app_account_taken [409]
        "The account serves another entity. Send `force` to take it from there.";
    Reason payment_app_not_connected [422]
        "The entity has no account at the card processor. Connect one first.";
    Reason payment_app_other_account [409]
        "The entity has another account at the card processor. Send `force` to replace it.";
    Reason payment_app_other_environment [422]
        "The consent was asked for in the other environment than the entity's. Ask for it there.";
    Reason payment_exceeds_total [422]
        "Payments would come to more than the document; `cause` has the figures.";
    Reason payment_overdue [422]
        "A declined payment of the subscription is still owed. Give a card that pays, or choose a \
         free plan.";
    Reason payment_system_managed [422]
        "Settlement keeps this payment. Change the documents that it settles.";
    Reason peppol_invalid [422]
        "The document breaks rules of Peppol BIS; the issues name the fields to change.";
    Reason place_gone [422]
        "The premise or device that the integration names is not there. Name another, or none.";
    Reason plan_limit_reached [403] for now
        "What the plan allows in this period is used up. Choose another plan, or wait for the \
         next period.";
    Reason platform_not_connected [503]
        "This server is no app of the platform. The operator can make it one.";
    Reason platform_refused [422]
        "The platform refused what it was asked. The message says why.";
    Reason platform_unreachable [503] for now
        "The platform did not answer. Send the same request again.";
    Reason pos_operator_scope [403]
        "An operator's token does not reach this. Use a key or a user's token.";
    Reason premise_closed [422] "The premise is closed for good. Make one with another name.";
    Reason premise_missing [422] "There is no open premise. Register one first.";
    Reason pt_authority_refused [422]
        "The tax authority of Portugal refused it; the message has its code and words. Mend what \
         they name, or enter `validation_code` by hand.";
    Reason pt_authority_unanswered [503] for now
        "The tax authority of Portugal did not answer. Send the same request again.";
    Reason pt_document_immutable [422]
        "A document in Portugal stays as it was signed. Void it with a reason, or issue a credit \
         note.";
    Reason pt_document_voided [422]
        "The document is voided, so it takes no credit note. Make a new document.";
    Reason pt_form_recovered [409]
        "A document was recovered from this form. Look at the series and number on the form.";
    Reason pt_not_deleted [422]
        "Documents and series in Portugal are not deleted. Void the document, close the series.";
    Reason pt_not_paid [422]
        "A fatura-recibo is paid in full when it is issued. Send payments of its total, or name a \
         series for invoices.";
    Reason pt_not_signed [422]
        "A document in Portugal is printed once it is issued. Issue it first.";
    Reason pt_original_gone [422]
        "The customer has the original, so the document is not voided. Issue a credit note.";
    Reason pt_program_missing [422]
        "The server is no certified program for Portugal. Its operator sets the program's key and \
         certificate number.";
    Reason pt_receipt_holds [422]
        "A receipt says that the document was paid. Delete the payment, which voids the receipt; \
         then void the document.";
    Reason pt_saft_unwritable [422]
        "A document does not fit SAF-T, and the message names it: one of the period, or the one to \
         be issued, which then takes no number.";
    Reason pt_series_active [409]
        "The type of documents has an active series. Close that one first.";
    Reason pt_series_closed [422] "The series is closed for good. Name another one.";
    Reason pt_series_full [422] "The numbers of the series are used up. Close it and make another.";
    Reason pt_series_missing [422]
        "No active series is for this document. Make one by POST \
         /fiscalization/pt/atcud-series.";
    Reason pt_series_of_other_type [422]
        "The series is for other documents. Leave it out, or name one of the document's type.";
    Reason pt_series_used [422]
        "The series has documents, so this stays. Close it and make another one.";
    Reason pt_sub_user_missing [422]
        "Nobody is named who calls the authority. Store a sub-user in the settings of Portugal, or \
         send `validation_code`.";
    Reason query_too_expensive [422]
        "The list takes too long. Filter by a day, a customer or a state, or order by another \
         field.";
    Reason rate_unavailable [503] for now
        "This server does not have the rates of exchange of the day. Say the rate yourself, or \
         send the request again when it has reached the European Central Bank.";
    Reason receipt_issued [422]
        "A receipt says what the payment is. Delete the payment, which voids the receipt, and \
         record another one.";
    Reason recurring_completed [422]
        "The recurring invoice has come to its end. Move its `end_date`.";
    Reason recurring_not_active [422]
        "The recurring invoice is not active. Resume it, or move its `end_date`.";
    Reason recurring_not_paused [422] "The recurring invoice is not paused.";
    Reason recurring_period_passed [422]
        "This period's invoice is made, or the period is no longer due.";
    Reason registration_in_progress [409] for now
        "Another request registers a premise of this name. Send the request again in a minute.";
    Reason second_factor_locked [429] for now
        "Too many codes of the second factor failed. Wait for `Retry-After`, or use a recovery \
         code.";
    Reason second_factor_not_begun [422]
        "No second factor waits for its first code. Ask for a secret, and confirm it within an \
         hour.";
    Reason second_factor_on [409] "The user has a second factor. Remove it first.";
    Reason second_factor_required [401]
        "The user has a second factor. Log in with `second_factor_code`, too; where there is \
         `cause.continuation`, go on by POST /users/openid/second-factor.";
    Reason second_factor_sealed [503]
        "The second factor cannot be read with the server's master key. Use a recovery code, or \
         have the key restored.";
    Reason second_factor_wrong [401]
        "The code of the second factor is wrong, or was used. Send the one that the app shows now, \
         or a recovery code.";
    Reason session_required [403]
        "The user has a second factor, so the password alone accepts no invitation. Log in, and \
         accept with the login token.";
    Reason shop_not_authorized [422]
        "Nothing opens the shop. Have its owner consent, or set `shop_domain` and `access_token`.";
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
    Reason too_many_card_sessions [422]
        "The document was to be paid by card too often in the last days. Pay it otherwise.";
    Reason too_many_devices [422]
        "The premise has as many devices as it may have, deactivated ones included.";
    Reason too_many_identities [422]
        "The user has as many identities as they may have. Unlink one that is not used.";
    Reason too_many_integrations [422]
        "The entity has as many integrations as it may have. Delete one first.";
    Reason too_many_keys [422]
        "There are as many API keys as there may be. Delete one that is not used.";
    Reason too_many_members [422] "The entity has as many users and invitations as it may have.";
    Reason too_many_premises [422]
        "The entity has as many premises as it may have, closed ones included.";
    Reason too_many_series [422]
        "The entity has as many series as it may have, closed ones included.";
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
