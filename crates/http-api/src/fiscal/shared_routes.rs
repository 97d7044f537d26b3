//! The routes that both authorities have.

/// Declares the routes of an authority whose handlers are those of [`super::authority_api`]. Paths
/// name the authority as `$path`, operations as its type is called: `getFursSettings`.
macro_rules! shared_routes {
    ($authority:ident at $path:literal in $country:literal) => {
        &[
            Route::get(at!($path "/settings"), named!("get" $authority "Settings"), READ, || {
                web::to(authority_api::get_settings::<$authority>)
            })
            .about(TAG, concat!("Answers the settings of fiscalization in ", $country, "."))
            .answers::<<$authority as AuthorityApi>::Settings>(),
            Route::put(at!($path "/settings"), named!("update" $authority "Settings"), MANAGE, || {
                web::to(authority_api::put_settings::<$authority>)
            })
            .needs(Feature::$authority)
            .read_by(&[named!("get" $authority "Settings")])
            .about(TAG, "Changes what is sent of the settings.")
            .takes::<<$authority as AuthorityApi>::SettingsInput>()
            .answers::<<$authority as AuthorityApi>::Settings>(),
            Route::post(
                at!($path "/settings/certificate"),
                named!("upload" $authority "Certificate"),
                MANAGE,
                || web::to(authority_api::upload::<$authority>),
            )
            .needs(Feature::$authority)
            .about(TAG, "Uploads the certificate that signs from now on.")
            .takes_form::<CertificateForm>(&["file"])
            .creates::<CertificateBody>(),
            Route::post(
                at!($path "/settings/certificate/sandbox"),
                named!("issue" $authority "SandboxCertificate"),
                MANAGE,
                || web::to(authority_api::issue_for_sandbox::<$authority>),
            )
            .needs(Feature::$authority)
            .about(TAG, "Gives an entity of the sandbox a certificate of the built-in simulator.")
            .may_lack()
            .creates::<CertificateBody>(),
            Route::get(
                at!($path "/settings/certificate"),
                named!("get" $authority "Certificate"),
                READ,
                || web::to(authority_api::get_certificate::<$authority>),
            )
            .about(TAG, "Tells of the certificate, and never its private key.")
            .may_lack()
            .answers::<CertificateBody>(),
            Route::delete(
                at!($path "/settings/certificate"),
                named!("delete" $authority "Certificate"),
                MANAGE,
                || web::to(authority_api::delete_certificate::<$authority>),
            )
            .needs(Feature::$authority)
            .about(TAG, "Deletes the certificate and its private key.")
            .may_lack()
            .tells::<MessageBody>(),
            Route::get(at!($path "/premises"), named!("list" $authority "Premises"), AT_TILL, || {
                web::to(authority_api::list_premises::<$authority>)
            })
            .about(TAG, "Lists all business premises with their devices, closed ones included.")
            .answers::<ArrayBody<<$authority as AuthorityApi>::Premise>>(),
            Route::get(at!($path "/premises/{id}"), named!("get" $authority "Premise"), AT_TILL, || {
                web::to(authority_api::get_premise::<$authority>)
            })
            .about(TAG, "Answers a business premise.")
            .answers::<<$authority as AuthorityApi>::Premise>(),
            Route::patch(
                at!($path "/premises/{id}"),
                named!("update" $authority "Premise"),
                MANAGE,
                || web::to(authority_api::restart_premise::<$authority>),
            )
            .needs(Feature::$authority)
            .read_by(&[named!("get" $authority "Premise")])
            .about(TAG, "Sets where a premise's numbers start, before the first one is issued.")
            .takes::<RestartBody>()
            .answers::<<$authority as AuthorityApi>::Premise>(),
            Route::get(
                at!($path "/premises/{id}/devices"),
                named!("list" $authority "Devices"),
                AT_TILL,
                || web::to(authority_api::list_devices::<$authority>),
            )
            .about(TAG, "Lists a premise's devices, deactivated ones included.")
            .answers::<ArrayBody<<$authority as AuthorityApi>::Device>>(),
            Route::post(
                at!($path "/premises/{id}/devices"),
                named!("create" $authority "Device"),
                MANAGE,
                || web::to(authority_api::create_device::<$authority>),
            )
            .needs(Feature::$authority)
            .about(TAG, "Puts an electronic device into a premise.")
            .takes::<<$authority as AuthorityApi>::NewDevice>()
            .creates::<DeviceOutcomeBody>(),
            Route::get(at!($path "/devices/{id}"), named!("get" $authority "Device"), AT_TILL, || {
                web::to(authority_api::get_device::<$authority>)
            })
            .about(TAG, "Answers an electronic device.")
            .answers::<<$authority as AuthorityApi>::Device>(),
            Route::patch(
                at!($path "/devices/{id}"),
                named!("update" $authority "Device"),
                MANAGE,
                || web::to(authority_api::restart_device::<$authority>),
            )
            .needs(Feature::$authority)
            .read_by(&[named!("get" $authority "Device")])
            .about(TAG, "Sets where a device's own numbers start, before the first one is issued.")
            .takes::<RestartBody>()
            .answers::<<$authority as AuthorityApi>::Device>(),
            Route::delete(
                at!($path "/devices/{id}"),
                named!("deactivate" $authority "Device"),
                MANAGE,
                || web::to(authority_api::deactivate_device::<$authority>),
            )
            .needs(Feature::$authority)
            .about(TAG, "Deactivates an electronic device, for good.")
            .tells::<DeviceOutcomeBody>(),
        ]
    };
}
pub(super) use shared_routes;

/// A path of an authority.
macro_rules! at {
    ($path:literal $rest:literal) => {
        concat!("/fiscalization/", $path, $rest)
    };
}
pub(super) use at;

/// An operation on what an authority has.
macro_rules! named {
    ($verb:literal $authority:ident $what:literal) => {
        concat!($verb, stringify!($authority), $what)
    };
}
pub(super) use named;
