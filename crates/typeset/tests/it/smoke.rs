use crate::sample;
use racun_paper::Template;
use racun_typeset::Typesetter;

#[test]
fn all() {
    let setter = Typesetter::new().unwrap();
    for template in Template::ALL {
        let began = std::time::Instant::now();
        let file = setter.paper(&sample::invoice(template, 5));
        println!("{template:?} {:?}", began.elapsed());
        match file {
            Ok(file) => std::fs::write(format!("/tmp/out/{}.pdf", template.name()), file).unwrap(),
            Err(e) => println!("{e}"),
        }
    }
}
