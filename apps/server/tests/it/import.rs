//! `racun registry import` and its like.

use std::fs;

use crate::process::run;

const REGISTER: &str = "name,country_code,tax_number\nŽito d.o.o.,SI,SI10039856\n";

#[test]
fn files_are_imported_or_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let register = file("si.csv", REGISTER);
    let bad = file("bad.csv", &format!("{REGISTER},SI,2\n"));
    let rates = file("rates.csv", "Date,USD,\n2026-10-09,1.15,\n2026-10-08,N/A,\n");
    let taxes = file(
        "us.csv",
        "state,zip_code,estimated_combined_rate,source_month\nCA,90210,0.095,2026-10\n",
    );
    for (command, path, says) in [
        ("registry", &register, "1 rows of SI, 0 of before removed"),
        ("tax-rates", &taxes, "1 rows of CA"),
        ("rates", &rates, "1 days of rates are new"),
        ("rates", &rates, "0 days of rates are new"),
    ] {
        let output = run(folder.path(), &[command, "import", path.as_str()], &[]);
        let told = String::from_utf8_lossy(&output.stdout);
        let failed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {failed}");
        assert!(told.contains(says), "{command}: {told}");
    }
    for (arguments, says) in [
        (vec!["registry", "import", bad.as_str()], "line 3: name"),
        (vec!["registry", "import", "nowhere.csv"], "nowhere.csv cannot be read"),
        (vec!["registry", "import"], "racun registry import FILE"),
        (vec!["tax-rates"], "racun tax-rates import FILE"),
    ] {
        let output = run(folder.path(), &arguments, &[]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && told.contains(says), "{arguments:?}: {told}");
    }
}
