//! A setting that is unknown or malformed stops the start with one line that names it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use crate::process::{Server, racun, run};

/// A variable that stops the start, and a part of the line that says so besides its name.
const WRONG: &[(&str, &str, &str)] = &[
    ("RACUN__SERVER__LISTEN", "localhost", "127.0.0.1:8080"),
    ("RACUN__SERVER__LISTEN", "", "127.0.0.1:8080"),
    ("RACUN__SERVER__LISTEN__PORT", "80", "expected"),
    ("RACUN__SERVER__LISSEN", "127.0.0.1:0", "`listen`"),
    ("RACUN__SERVER", "127.0.0.1:0", "section"),
    ("RACUN__SERVR__LISTEN", "127.0.0.1:0", "`server`"),
    ("RACUN__SERVER__PUBLIC_URL", "invoices.example.com", "https://"),
    ("RACUN__SERVER__PUBLIC_URL", "https://example.com/?a=b", "without query"),
    ("RACUN__DATABASE__URL", "mysql://user:hush@host/db", "postgres://"),
    ("RACUN__DATABASE__URL", "", "postgres://"),
    ("RACUN__DATABASE__DIR", "", "a path"),
    ("RACUN__DATABASE__SHARED", "perhaps", "true or false"),
    ("RACUN__SECRETS__MASTER_KEY", "c2VjcmV0", "32 bytes"),
    ("RACUN__SECRETS__MASTER_KEY", "hush, not base64", "base64"),
    ("RACUN__SECRETS", "hush", "section"),
    ("RACUN__FURS__TEST__URL", "ftp://hush", "https://"),
    ("RACUN__FURS__TEST__TRANSPORT", "rest", "soap or json"),
    ("RACUN__FURS__PRODUCTION__TIMEOUT_SECONDS", "0", "from 1"),
    ("RACUN__FURS__STAGING__URL", "https://example.com", "`production`"),
    ("RACUN__FURS__SOFTWARE_MAKER__NAME", "Hush d.o.o.", "name and address go together"),
    ("RACUN__FURS__SOFTWARE_MAKER__ADDRESS", "", "one line"),
    ("RACUN__FURS__SOFTWARE_MAKER__TAX_NUMBER", "01234567", "eight digits"),
    ("RACUN__FINA__TEST__TIMEOUT_SECONDS", "5s", "whole number"),
    ("RACUN__FINA__TEST__TRANSPORT", "json", "`timeout_seconds`"),
    ("RACUN__FISCALIZATION__RETRY__INITIAL_SECONDS", "7200", "max_seconds"),
    ("RACUN__PORTUGAL__CERTIFICATE_NUMBER", "10000", "from 1 to 9999"),
    ("RACUN__PORTUGAL__KEY_VERSION", "0", "from 1 to 9999"),
    ("RACUN__PORTUGAL__MAKER_NAME", "", "1 to 200 characters"),
    ("RACUN__PORTUGAL__TEST__SERIES_URL", "hush", "https://"),
    ("RACUN__PORTUGAL__STAGING__SERIES_URL", "https://example.com", "`production`"),
    ("RACUN__WEBHOOKS__ALLOW_PRIVATE_ADDRESSES", "sometimes", "true or false"),
    ("RACUN__WEBHOOKS__RETRY_DELAYS", "0s,1 minute", "0s,1m,5m,30m,2h"),
    ("RACUN__WEBHOOKS__TIMEOUT_SECONDS", "16", "from 1 to 15"),
    ("RACUN__RATE_LIMITS__ENABLED", "2", "true or false"),
    ("RACUN__RATE_LIMITS__PER_TOKEN", "0", "1 to 1000000000"),
    ("RACUN__RATE_LIMITS__PER_TOKENS", "9", "per_token"),
    ("RACUN__SERVER__TRUSTED_PROXIES", "10.0.0.0/8,hush", "10.0.0.0/8"),
    ("RACUN__SERVER__CONNECTIONS_PER_ADDRESS", "0", "1 to 1000000000"),
    ("RACUN__SERVER__HSTS_SECONDS", "a year", "whole number of seconds"),
    ("RACUN__SERVER__CORS_ORIGINS", "shop.example.com/hush", "https://shop.example.com"),
    ("RACUN__EMAIL__SMTP_URL", "mail.example.com", "smtp://"),
    ("RACUN__EMAIL__SMTP_URL", "smtp://hush@mail.example.com?tls=maybe", "smtp://"),
    ("RACUN__EMAIL__FROM", "Racun", "invoices@example.com"),
    ("RACUN__EMAIL__LIMITS__PER_RECEIVER", "-1", "0 to 1000000"),
    ("RACUN__EMAIL__LIMITS__PER_RECEIVER_FROM_ALL", "", "0 to 1000000"),
    ("RACUN__FILES__S3__BUCKET", "a bucket", "without spaces"),
    ("RACUN__FILES__S3__SECRET_ACCESS_KEY", "hush", "go together"),
    ("RACUN__FILES__FOLDER", "files", "`s3`"),
    ("RACUN__VIES__URL", "vies.example.com/hush", "or off"),
    ("RACUN__VIES__TIMEOUT", "5", "`url`"),
    ("RACUN__RATES__URL", "ecb.example.com/hush", "or off"),
    ("RACUN__LOG__FORMAT", "xml", "text or json"),
    ("RACUN__METRICS__LISTEN", "9090", "127.0.0.1:8080"),
    ("RACUN__LOG__LEVEL", "loud", "debug"),
    ("RACUN_DATABASE_URL", "postgres://user:hush@host/db", "RACUN__DATABASE__URL"),
];

#[test]
fn a_wrong_variable_stops_the_start_with_one_line_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, value, part) in WRONG {
        let output = run(folder.path(), &["serve"], &[(name, value)]);
        let printed = String::from_utf8_lossy(&output.stderr);
        let case = format!("{name}={value}: {printed}");
        assert_eq!(output.status.code(), Some(2), "{case}");
        assert_eq!(printed.lines().count(), 1, "{case}");
        assert!(printed.starts_with(&format!("racun: setting {name}: ")), "{case}");
        assert!(printed.contains(part), "{case}");
        assert!(!printed.contains("hush"), "a value is repeated: {case}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "something was made");
}

#[test]
fn a_wrong_file_stops_the_start_with_one_line_that_names_the_place() {
    let wrong = [
        ("[server]\nlisten = 8080", "server.listen in racun.toml"),
        ("[server]\nlisten = ['127.0.0.1:0']", "server.listen in racun.toml"),
        ("[sever]\nlisten = '127.0.0.1:0'", "sever in racun.toml"),
        ("[furs.test]\ntimeout_seconds = 5.5", "furs.test.timeout_seconds in racun.toml"),
        ("[log]\nformat = 'text'\nformat = 'json'", "racun.toml: TOML parse error at line 3"),
        ("[database\nurl = 'hush'", "racun.toml: TOML parse error at line 1"),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (text, place) in wrong {
        fs::write(folder.path().join("racun.toml"), text).unwrap();
        let output = run(folder.path(), &["serve"], &[]);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}: {printed}");
        assert_eq!(printed.lines().count(), 1, "{text}: {printed}");
        assert!(printed.contains(place), "{text}: {printed}");
        assert!(!printed.contains("hush"), "a value is repeated: {printed}");
    }
}

#[test]
fn the_environment_wins_over_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("racun.toml"), "[database]\ndir = 'from-file'").unwrap();
    let made = |name: &str| folder.path().join(name).join("racun.db").exists();
    assert!(run(folder.path(), &["migrate"], &[]).status.success());
    assert!(made("from-file"));
    let variable = [("RACUN__DATABASE__DIR", "from-environment")];
    assert!(run(folder.path(), &["migrate"], &variable).status.success());
    assert!(made("from-environment"));
}

#[test]
fn every_name_that_others_rely_on_is_known() {
    let right = [
        ("RACUN__SERVER__PUBLIC_URL", "https://invoices.example.com/racun/"),
        ("RACUN__SECRETS__MASTER_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        ("RACUN__FURS__TEST__URL", "http://127.0.0.1:9001"),
        ("RACUN__FURS__TEST__CA_FILE", "furs.pem"),
        ("RACUN__FURS__TEST__TRANSPORT", "json"),
        ("RACUN__FURS__TEST__TIMEOUT_SECONDS", "7"),
        ("RACUN__FURS__PRODUCTION__URL", "https://example.com:9003"),
        ("RACUN__FURS__PRODUCTION__CA_FILE", "furs.pem"),
        ("RACUN__FURS__PRODUCTION__TRANSPORT", "soap"),
        ("RACUN__FURS__PRODUCTION__TIMEOUT_SECONDS", "5"),
        ("RACUN__FINA__TEST__URL", "http://127.0.0.1:9002"),
        ("RACUN__FINA__TEST__CA_FILE", "fina.pem"),
        ("RACUN__FINA__TEST__TIMEOUT_SECONDS", "5"),
        ("RACUN__FINA__PRODUCTION__URL", "https://example.com:8449"),
        ("RACUN__FINA__PRODUCTION__CA_FILE", "fina.pem"),
        ("RACUN__FINA__PRODUCTION__TIMEOUT_SECONDS", "5"),
        ("RACUN__FISCALIZATION__RETRY__INITIAL_SECONDS", "1"),
        ("RACUN__FISCALIZATION__RETRY__MAX_SECONDS", "60"),
        ("RACUN__WEBHOOKS__ALLOW_PRIVATE_ADDRESSES", "true"),
        ("RACUN__WEBHOOKS__RETRY_DELAYS", "0s, 1s, 2m"),
        ("RACUN__WEBHOOKS__TIMEOUT_SECONDS", "1"),
        ("RACUN__RATE_LIMITS__ENABLED", "false"),
        ("RACUN__RATE_LIMITS__PER_TOKEN", "1000"),
        ("RACUN__RATE_LIMITS__PER_IP_AUTHENTICATED", "4000"),
        ("RACUN__RATE_LIMITS__PER_IP_ANONYMOUS", "100"),
        ("RACUN__RATE_LIMITS__PER_IP_SENSITIVE", "5"),
        ("RACUN__SERVER__TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
        ("RACUN__SERVER__CONNECTIONS_PER_ADDRESS", "64"),
        ("RACUN__SERVER__HSTS_SECONDS", "0"),
        ("RACUN__SERVER__CORS_ORIGINS", "https://shop.example.com, http://127.0.0.1:3000"),
        ("RACUN__EMAIL__SMTP_URL", "smtps://user:password@mail.example.com"),
        ("RACUN__EMAIL__FROM", "Pri Ani <ana@example.com>"),
        ("RACUN__EMAIL__LIMITS__PER_RECEIVER", "5"),
        ("RACUN__EMAIL__LIMITS__PER_RECEIVER_FROM_ALL", "0"),
        ("RACUN__FILES__S3__ENDPOINT", "https://s3.example.com"),
        ("RACUN__FILES__S3__BUCKET", "racun"),
        ("RACUN__FILES__S3__REGION", "eu-central-1"),
        ("RACUN__FILES__S3__ACCESS_KEY_ID", "id"),
        ("RACUN__FILES__S3__SECRET_ACCESS_KEY", "key"),
        ("RACUN__OPENID__ISSUER", "https://id.example.com/"),
        ("RACUN__OPENID__CLIENT_ID", "racun"),
        ("RACUN__OPENID__CLIENT_SECRET", "secret"),
        ("RACUN__OPENID__NAME", "The office"),
        ("RACUN__OPENID__REDIRECT_URIS", "https://app.example.com/back,com.example.app:/back"),
        ("RACUN__OPENID__TRUSTED_DOMAINS", "example.com,sub.example.com"),
        ("RACUN__STRIPE__URL", "http://127.0.0.1:9400"),
        ("RACUN__STRIPE__SECRET_KEY", "sk_test_1"),
        ("RACUN__STRIPE__WEBHOOK_SECRET", "whsec_1"),
        ("RACUN__STRIPE__CLIENT_ID", "ca_1"),
        ("RACUN__BILLING__OPERATOR_KEY", "a-random-key-of-thirty-two-characters"),
        ("RACUN__VIES__URL", "http://127.0.0.1:9003/rest-api"),
        ("RACUN__RATES__URL", "off"),
        ("RACUN__LOG__FORMAT", "json"),
        ("RACUN__LOG__LEVEL", "warn,racun=debug"),
        ("RACUN__METRICS__LISTEN", "127.0.0.1:9090"),
        ("RACUN__DATABASE__SHARED", "true"),
        ("RACUN_SERVICE_HOST", "a name that is not ours"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let output = racun(folder.path()).arg("migrate").envs(right).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_server_that_calls_this_machine_only_names_no_other() {
    let bucket = [
        ("RACUN__FILES__S3__BUCKET", "racun"),
        ("RACUN__FILES__S3__ACCESS_KEY_ID", "id"),
        ("RACUN__FILES__S3__SECRET_ACCESS_KEY", "key"),
    ];
    for (name, value) in [
        ("RACUN__FURS__TEST__URL", "https://example.com:9003"),
        ("RACUN__FURS__PRODUCTION__URL", "https://192.0.2.1:9003"),
        ("RACUN__FINA__TEST__URL", "https://example.com:8449"),
        ("RACUN__FINA__PRODUCTION__URL", "https://127.0.0.1.example.com"),
        ("RACUN__EMAIL__SMTP_URL", "smtps://user:password@mail.example.com"),
        ("RACUN__FILES__S3__ENDPOINT", "https://s3.example.com"),
        ("RACUN__VIES__URL", "https://vies.example.com/rest-api"),
        ("RACUN__RATES__URL", "https://ecb.example.com/files"),
        ("RACUN__OPENID__ISSUER", "https://id.example.com"),
        ("RACUN__STRIPE__URL", "https://stripe.example.com"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut variables = bucket[..if name.contains("S3") { 3 } else { 0 }].to_vec();
        if name.contains("OPENID") {
            let back = ("RACUN__OPENID__REDIRECT_URIS", "http://127.0.0.1/back");
            variables.extend([("RACUN__OPENID__CLIENT_ID", "racun"), back]);
        }
        if name.contains("STRIPE") {
            let secret = ("RACUN__STRIPE__WEBHOOK_SECRET", "whsec_1");
            variables.extend([("RACUN__STRIPE__SECRET_KEY", "sk_test_1"), secret]);
        }
        variables.push((name, value));
        let output = run(folder.path(), &["serve"], &variables);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{name}: {told}");
        assert!(told.contains(name) && told.contains("another machine"), "{name}: {told}");
        assert!(!told.contains("example.com") && !told.contains("password"), "{told}");
    }
}

#[test]
fn a_card_processor_is_named_whole() {
    let folder = tempfile::tempdir().unwrap();
    let key = ("RACUN__STRIPE__SECRET_KEY", "sk_test_hush");
    for (variables, missing) in [
        (vec![key], "RACUN__STRIPE__WEBHOOK_SECRET"),
        (vec![key, ("RACUN__STRIPE__CLIENT_ID", "ca_1")], "RACUN__STRIPE__WEBHOOK_SECRET"),
        (vec![("RACUN__STRIPE__WEBHOOK_SECRET", "whsec_hush")], "RACUN__STRIPE__SECRET_KEY"),
        (vec![("RACUN__STRIPE__URL", "http://127.0.0.1:9400")], "RACUN__STRIPE__SECRET_KEY"),
    ] {
        let output = run(folder.path(), &["serve"], &variables);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
        assert!(told.contains(missing) && !told.contains("hush"), "{told}");
    }
}

#[test]
fn the_program_of_portugal_has_a_key_that_signs_and_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let keys = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/portugal/keys");
    let open_to = |name: &str, mode: u32| {
        fs::set_permissions(folder.path().join(name), Permissions::from_mode(mode)).unwrap();
    };
    let key = |name: &str| {
        fs::copy(format!("{keys}/{name}"), folder.path().join(name)).unwrap();
        open_to(name, 0o600);
        name.to_owned()
    };
    fs::write(folder.path().join("hush.pem"), "hush").unwrap();
    open_to("hush.pem", 0o600);
    let certificate = ("RACUN__PORTUGAL__CERTIFICATE_NUMBER", "9999");
    for (path, more, setting, part) in [
        ("nowhere.pem".to_owned(), Some(certificate), "KEY_FILE", "cannot be read"),
        ("hush.pem".to_owned(), Some(certificate), "KEY_FILE", "PEM"),
        // One of 2048 bits, and one that is public.
        (key("at_ws_test_private.pem"), Some(certificate), "KEY_FILE", "1024 bits"),
        (key("test_a_public.pem"), Some(certificate), "KEY_FILE", "PEM"),
        (key("test_a_private.pem"), None, "CERTIFICATE_NUMBER", "certificate"),
    ] {
        let mut variables = vec![("RACUN__PORTUGAL__KEY_FILE", path.as_str())];
        variables.extend(more);
        let output = run(folder.path(), &["serve"], &variables);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{path}: {told}");
        assert!(told.contains(&format!("RACUN__PORTUGAL__{setting}")), "{path}: {told}");
        assert!(told.contains(part) && !told.contains("hush"), "{path}: {told}");
    }
    let private = key("test_a_private.pem");
    let right = [("RACUN__PORTUGAL__KEY_FILE", private.as_str()), certificate];
    for mode in [0o644, 0o640, 0o602] {
        open_to(&private, mode);
        let output = run(folder.path(), &["serve"], &right);
        let told = String::from_utf8_lossy(&output.stderr);
        let remedy = format!("RACUN__PORTUGAL__KEY_FILE: {private} is open to others");
        assert!(!output.status.success(), "{mode:o}: {told}");
        assert!(told.contains(&remedy) && told.contains("`chmod 600` it"), "{mode:o}: {told}");
    }
    open_to(&private, 0o600);
    drop(Server::start(folder.path(), &right));
}

#[test]
fn a_portuguese_tls_key_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let keys = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/portugal/keys");
    let authority = format!("{keys}/at_ws_test_public.pem");
    let identity = folder.path().join("maker.pem");
    fs::write(&identity, "hush").unwrap();
    let closed = "maker.pem is open to others than its user: `chmod 600` it";
    for system in ["TEST", "PRODUCTION"] {
        let names = ["AUTHORITY_KEY_FILE", "SERIES_URL", "INVOICES_URL", "CERTIFICATE_FILE"]
            .map(|key| format!("RACUN__PORTUGAL__{system}__{key}"));
        let here = "https://127.0.0.1:9/";
        let values = [authority.as_str(), here, here, "maker.pem"];
        let variables: Vec<_> = names.iter().map(String::as_str).zip(values).collect();
        for (mode, part) in
            [(0o644, closed), (0o640, closed), (0o602, closed), (0o600, "there is no certificate")]
        {
            fs::set_permissions(&identity, Permissions::from_mode(mode)).unwrap();
            let output = run(folder.path(), &["serve"], &variables);
            let told = String::from_utf8_lossy(&output.stderr);
            let named = format!("RACUN__PORTUGAL__{system}__CERTIFICATE_FILE: {part}");
            assert!(!output.status.success(), "{mode:o}: {told}");
            assert!(told.contains(&named) && !told.contains("hush"), "{mode:o}: {told}");
        }
    }
}

#[test]
fn white_labels_have_one_source() {
    let folder = tempfile::tempdir().unwrap();
    let key = "a-random-key-of-thirty-two-characters";
    let both = [("RACUN__BILLING__FILE", "labels.toml"), ("RACUN__BILLING__OPERATOR_KEY", key)];
    let output = run(folder.path(), &["serve"], &both);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("set one of the two"), "{told}");
    let short = [("RACUN__BILLING__OPERATOR_KEY", "a-short-key")];
    let output = run(folder.path(), &["serve"], &short);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("32 characters"), "{told}");
    assert!(!told.contains("a-short-key") && !told.contains(key), "{told}");
}

#[test]
fn the_page_of_settings_is_one_table() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `RACUN__")).count();
    let table = page.lines().skip_while(|line| !line.starts_with("| --- |")).skip(1);
    let joined = table.take_while(|line| line.starts_with("| `RACUN__")).count();
    assert!(rows > 30 && joined == rows, "{joined} of {rows} settings are in the first table");
}
