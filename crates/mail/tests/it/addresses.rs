use racun_mail::parse_addresses;

#[test]
fn one_to_four_addresses_with_commas_between_them() {
    for (list, expected) in [
        ("ana@x.si", Ok("ana@x.si")),
        (" ana@x.si , bor@x.si ", Ok("ana@x.si bor@x.si")),
        ("ana@x.si,ANA@x.si", Ok("ana@x.si")),
        ("a@x.si,b@x.si,c@x.si,d@x.si", Ok("a@x.si b@x.si c@x.si d@x.si")),
        ("a@x.si,b@x.si,c@x.si,d@x.si,e@x.si", Err("too_many")),
        ("", Err("required")),
        (" ", Err("required")),
        (",", Err("invalid_email")),
        ("ana@x.si,", Err("invalid_email")),
        ("ana@x.si;bor@x.si", Err("invalid_email")),
        ("Ana <ana@x.si>", Err("invalid_email")),
        ("ana@x.si\r\nBcc: bor@x.si", Err("invalid_email")),
        ("ana@x.si\0", Err("invalid_email")),
        ("\"ana\"@x.si", Err("invalid_email")),
    ] {
        let read = parse_addresses(list).map(|found| found.join(" ")).map_err(|issue| issue.code);
        assert_eq!(read.as_deref().map_err(|code| *code), expected, "{list:?}");
    }
}
