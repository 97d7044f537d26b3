//! Another verifier of signatures: xmlsec1, and OpenSSL.

use std::fs;

use racun_authority_simulator::Running;

/// Whether xmlsec1 verifies the signature in `document` over the element `namespace:name`.
pub fn verifies(running: &Running, document: &str, namespace: &str, name: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.xml");
    fs::write(&file, document).unwrap();
    let certificates: Vec<&str> =
        running.ca_pem.split_inclusive("-----END CERTIFICATE-----\n").collect();
    let [root, issuing] = certificates[..] else { panic!("root and issuing CA") };
    let (root_file, issuing_file) = (folder.path().join("root.pem"), folder.path().join("ca.pem"));
    fs::write(&root_file, root).unwrap();
    fs::write(&issuing_file, issuing).unwrap();
    let output = racun_test_postgres::program("xmlsec1")
        .arg("--verify")
        .args(["--id-attr:Id", &format!("{namespace}:{name}")])
        .args(["--enabled-key-data", "x509"])
        .arg("--trusted-pem")
        .arg(root_file)
        .arg("--untrusted-pem")
        .arg(issuing_file)
        .arg(file)
        .output()
        .unwrap();
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success()
}

/// Runs OpenSSL; panics with what it says when it fails.
pub fn openssl(arguments: &[&str]) -> String {
    let output = racun_test_postgres::program("openssl").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
