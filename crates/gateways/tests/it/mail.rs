//! Mail over SMTP to servers in all moods, and in files.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use racun_gateways::{MailFolder, SmtpMailer, mailbox};
use racun_mail::{Attachment, Mail, MailError, Mailbox, Mailer as _};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server that answers each command with what `script` says, else as one that takes everything.
/// The task answers with all that it heard.
struct Server {
    address: SocketAddr,
    heard: JoinHandle<String>,
}

/// Longer than a conversation takes that ends at all.
const PATIENCE: Duration = Duration::from_secs(60);
/// For so long answers that never come are waited for.
const HASTE: Duration = Duration::from_millis(50);

/// What ends the conversation instead of an answer.
const DROP: &str = "drop";
/// What is never answered.
const SILENCE: &str = "silence";

impl Server {
    async fn new(script: &'static [(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let (mut all, mut in_data, mut command) = (String::new(), false, "greeting".to_owned());
            loop {
                let scripted = script.iter().find(|(begin, _)| command.starts_with(begin));
                let answer = match (scripted, &*command) {
                    (Some((_, answer)), _) => answer,
                    (None, "greeting") => "220 ready",
                    (None, "DATA") => "354 go on",
                    (None, ".") => "250 taken",
                    (None, command) if command.starts_with("EHLO") => "250-me\r\n250 AUTH PLAIN",
                    (None, command) if command.starts_with("AUTH") => "235 welcome",
                    (None, _) => "250 ok",
                };
                match answer {
                    DROP => return all,
                    SILENCE => std::future::pending().await,
                    _ => {}
                }
                if !in_data || command == "." {
                    in_data = command == "DATA";
                    stream.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
                }
                let mut line = String::new();
                if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                    return all;
                }
                all.push_str(&line);
                command = line.trim_end().to_owned();
            }
        });
        Self { address, heard }
    }

    fn mailer(&self) -> SmtpMailer {
        self.waiting(PATIENCE)
    }

    fn waiting(&self, time: Duration) -> SmtpMailer {
        let url = format!("smtp://user:pass%20word@{}", self.address);
        SmtpMailer::new(&url, sender()).unwrap().within(time)
    }
}

fn sender() -> Mailbox {
    mailbox("Racun <racun@invoices.example.com>").unwrap()
}

fn mail() -> Mail {
    Mail {
        id: "mail_01J".to_owned(),
        from: None,
        reply_to: mailbox("Pri Ani <ana@example.com>"),
        to: vec![mailbox("buyer@example.com").unwrap()],
        subject: "Račun 1".to_owned(),
        text: "Pozdrav!\r\n.\r\nŠe ena vrstica".to_owned(),
        html: None,
        attachments: Vec::new(),
    }
}

/// The file that a mail is written to.
async fn written(mail: &Mail) -> Result<String, MailError> {
    let folder = tempfile::tempdir().unwrap();
    MailFolder::new(folder.path().to_owned(), sender()).send(mail).await?;
    Ok(fs::read_to_string(folder.path().join(format!("{}.eml", mail.id))).unwrap())
}

#[tokio::test]
async fn a_server_hears_sender_receivers_and_the_mail_whole() {
    let server = Server::new(&[]).await;
    let to = vec![mailbox("a@example.com").unwrap(), mailbox("b@example.com").unwrap()];
    server.mailer().send(&Mail { to, ..mail() }).await.unwrap();
    let heard = server.heard.await.unwrap();
    for line in [
        "EHLO invoices.example.com",
        "AUTH PLAIN AHVzZXIAcGFzcyB3b3Jk",
        "MAIL FROM:<racun@invoices.example.com>",
        "RCPT TO:<a@example.com>",
        "RCPT TO:<b@example.com>",
        "Message-ID: <mail_01J@invoices.example.com>",
        "From: Racun <racun@invoices.example.com>",
        "Reply-To: \"Pri Ani\" <ana@example.com>",
        "To: a@example.com, b@example.com",
        "Subject: =?utf-8?b?UmHEjXVu?= 1",
        ".",
    ] {
        assert!(heard.lines().any(|heard| heard == line), "{line}\n{heard}");
    }
}

#[tokio::test]
async fn the_reply_of_the_server_decides_on_another_attempt() {
    let temporary: &[&'static [(&str, &str)]] = &[
        &[("greeting", "421 busy")],
        &[("greeting", "220 ready"), ("EHLO", DROP)],
        &[("greeting", "HTTP/1.1 400 Bad Request")],
        &[("greeting", DROP)],
        &[("greeting", SILENCE)],
        &[("AUTH", "535 the password is wrong")],
        &[("AUTH", "454 later")],
        &[("MAIL", "451 later")],
        &[("MAIL", "530 log in first")],
        &[("RCPT", "450 mailbox busy")],
        &[("RCPT", "452 mailbox full")],
        &[("DATA", "451 later")],
        &[("DATA", DROP)],
        &[(".", "452 no space")],
        &[(".", DROP)],
        &[(".", SILENCE)],
    ];
    for script in temporary {
        let server = Server::new(script).await;
        // What greets in another protocol is waited for as what says nothing.
        let never_ends = [SILENCE, "HTTP/1.1 400 Bad Request"];
        let is_silent = script.iter().any(|(_, answer)| never_ends.contains(answer));
        let mailer = if is_silent { server.waiting(HASTE) } else { server.mailer() };
        let outcome = mailer.send(&mail()).await;
        assert!(matches!(outcome, Err(MailError::Temporary(_))), "{script:?}: {outcome:?}");
    }
    let refused: &[&'static [(&str, &str)]] = &[
        &[("MAIL", "550 not this sender")],
        &[("RCPT", "550 no such user")],
        &[("RCPT", "553 that is no address")],
        &[(".", "554 spam")],
        &[(".", "552 too large")],
    ];
    for script in refused {
        let server = Server::new(script).await;
        let outcome = server.mailer().send(&mail()).await;
        let Err(MailError::Refused(reason)) = outcome else { panic!("{script:?}: {outcome:?}") };
        assert!(reason.contains(script[0].1.split_once(' ').unwrap().1), "{reason}");
    }
}

#[tokio::test]
async fn a_password_goes_to_others_through_tls_only() {
    // No server answers STARTTLS here: a mailer that needs it sends no password.
    let url = |host: &str, query: &str| format!("smtp://user:password@{host}:1{query}");
    for (url, works) in [
        ("smtps://user:password@mail.example.com".to_owned(), true),
        ("smtp://mail.example.com".to_owned(), true),
        (url("mail.example.com", ""), true),
        (url("mail.example.com", "?tls=required"), true),
        (url("mail.example.com", "?tls=opportunistic"), true),
        (url("mail.example.com", "?tls=perhaps"), false),
        ("http://mail.example.com".to_owned(), false),
        ("mail.example.com".to_owned(), false),
    ] {
        assert_eq!(SmtpMailer::new(&url, sender()).is_ok(), works, "{url}");
    }
    let server = Server::new(&[]).await;
    // Reaches this machine too, which is not known of it.
    let url = format!("smtp://user:password@0.0.0.0:{}", server.address.port());
    let outcome = SmtpMailer::new(&url, sender()).unwrap().send(&mail()).await;
    assert!(matches!(outcome, Err(MailError::Temporary(_))), "{outcome:?}");
    let heard = server.heard.await.unwrap();
    assert!(!heard.contains("AUTH"), "{heard}");
}

#[tokio::test]
async fn a_closed_port_is_a_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    drop(listener);
    let outcome = SmtpMailer::new(&url, sender()).unwrap().send(&mail()).await;
    assert!(matches!(outcome, Err(MailError::Temporary(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_mail_is_a_private_file_and_the_same_mail_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("data/mail");
    let mailer = MailFolder::new(inner.clone(), sender());
    mailer.send(&mail()).await.unwrap();
    mailer.send(&Mail { subject: "again".to_owned(), ..mail() }).await.unwrap();
    mailer.send(&Mail { id: "mail_02J".to_owned(), ..mail() }).await.unwrap();
    let mut names: Vec<_> = fs::read_dir(&inner)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["mail_01J.eml", "mail_02J.eml"]);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(inner.clone()), mode(inner.join("mail_01J.eml"))), (0o700, 0o600));
    assert!(fs::read_to_string(inner.join("mail_01J.eml")).unwrap().contains("Subject: again\r\n"));
    // A folder that cannot be made is another day's mail.
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let outcome = MailFolder::new(file, sender()).send(&mail()).await;
    assert!(matches!(outcome, Err(MailError::Temporary(_))), "{outcome:?}");
}

#[tokio::test]
async fn text_html_and_files_go_as_the_parts_that_programs_look_for() {
    let pdf = Attachment {
        filename: "račun \"1\".pdf".to_owned(),
        media_type: "application/pdf".to_owned(),
        content: b"%PDF-1.7 \0\xff".to_vec(),
        content_id: None,
    };
    let html = Some("<p>Pozdrav!</p>".to_owned());
    let alone = written(&mail()).await.unwrap();
    assert!(alone.contains("Content-Type: text/plain; charset=utf-8\r\n"), "{alone}");
    assert!(!alone.contains("multipart"), "{alone}");
    let both = written(&Mail { html: html.clone(), ..mail() }).await.unwrap();
    assert!(both.contains("Content-Type: multipart/alternative;"), "{both}");
    assert!(both.find("text/plain") < both.find("text/html"), "{both}");
    let all = written(&Mail { html, attachments: vec![pdf], ..mail() }).await.unwrap();
    let place = |part: &str| all.find(part).unwrap_or_else(|| panic!("{part}: {all}"));
    assert!(place("multipart/mixed;") < place("multipart/alternative;"));
    assert!(place("text/html") < place("Content-Type: application/pdf"));
    assert!(all.contains("Content-Disposition: attachment;"));
    assert!(all.contains("JVBERi0xLjcgAP8="), "{all}");
}

#[tokio::test]
async fn a_picture_goes_inside_of_the_html_that_shows_it() {
    let file = |content_id: Option<&str>| Attachment {
        filename: "logo.png".to_owned(),
        media_type: "image/png".to_owned(),
        content: b"\x89PNG".to_vec(),
        content_id: content_id.map(str::to_owned),
    };
    let html = Some("<img src=\"cid:logo\">".to_owned());
    let attachments = vec![file(Some("logo")), file(None)];
    let all = written(&Mail { html: html.clone(), attachments, ..mail() }).await.unwrap();
    let place = |part: &str| all.find(part).unwrap_or_else(|| panic!("{part}: {all}"));
    assert!(place("multipart/mixed;") < place("multipart/alternative;"));
    assert!(place("multipart/alternative;") < place("multipart/related;"));
    assert!(place("text/plain") < place("text/html") && place("text/html") < place("image/png"));
    assert!(all.contains("Content-ID: <logo>\r\n"), "{all}");
    assert!(place("Content-Disposition: inline;") < place("Content-Disposition: attachment;"));
    let evil = vec![file(Some("a>\r\nBcc: b@example.com"))];
    let refused = written(&Mail { html, attachments: evil, ..mail() }).await;
    assert!(matches!(refused, Err(MailError::Refused(_))), "{refused:?}");
}

#[tokio::test]
async fn line_breaks_in_headers_are_refused() {
    let evil = "a\r\nBcc: everybody@example.com";
    let evil_box = || Mailbox { name: Some(evil.to_owned()), address: "a@example.com".to_owned() };
    let boxed = |address: &str| Mailbox { name: None, address: address.to_owned() };
    let file = |filename: &str, media_type: &str| {
        let (filename, media_type) = (filename.to_owned(), media_type.to_owned());
        vec![Attachment { filename, media_type, content: Vec::new(), content_id: None }]
    };
    let mut mails = vec![
        Mail { from: Some(evil_box()), ..mail() },
        Mail { reply_to: Some(evil_box()), ..mail() },
        Mail { to: vec![evil_box()], ..mail() },
        Mail { attachments: file(evil, "application/pdf"), ..mail() },
        Mail { attachments: file("a.pdf", "application/pdf\r\nBcc: a@example.com"), ..mail() },
        Mail { attachments: file("a.pdf", "pdf"), ..mail() },
        Mail { to: Vec::new(), ..mail() },
    ];
    for text in [evil, "a\nb", "a\rb", "a\0b", "a\u{85}b", "a\u{7f}b"] {
        mails.push(Mail { subject: text.to_owned(), ..mail() });
    }
    for address in [
        "",
        "example.com",
        "a@",
        "@example.com",
        "a@example.com>\r\nRCPT TO:<b@example.com",
        "a@example.com, b@example.com",
        "a b@example.com",
        "a@exa mple.com",
        "a@example.com\0",
    ] {
        mails.push(Mail { to: vec![boxed(address)], ..mail() });
    }
    for id in ["", "../mail", "a/b", "a@b", "a>b", "a\r\nb", ".a", &"a".repeat(129)] {
        mails.push(Mail { id: id.to_owned(), ..mail() });
    }
    for mail in mails {
        let outcome = written(&mail).await;
        assert!(matches!(outcome, Err(MailError::Refused(_))), "{mail:?}: {outcome:?}");
    }
    assert_eq!(mailbox("Me <me@example.com>\r\nBcc: a@example.com"), None);
}
