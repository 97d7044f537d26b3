//! Files: what is taken, what is refused, whose they are, and what they leave behind.

use std::sync::Arc;

use actix_web::test::TestRequest;
use async_trait::async_trait;
use racun_application::Services;
use racun_catalog::{FileStorage, StorageError};
use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};
use crate::outside::Memory;

/// A file of a form: its bytes, its name, the media type that it is said to have.
pub struct Sent<'a>(pub &'a [u8], pub &'a str, pub &'a str);

pub fn form(path: &str, file: &Sent<'_>, fields: &[(&str, &str)]) -> TestRequest {
    let Sent(content, name, media_type) = file;
    let mut body = format!(
        "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         content-type: {media_type}\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(content);
    for (name, value) in fields {
        let part =
            format!("\r\n--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}");
        body.extend_from_slice(part.as_bytes());
    }
    body.extend_from_slice(b"\r\n--b--\r\n");
    let kind = ("content-type", "multipart/form-data; boundary=b");
    TestRequest::post().uri(path).insert_header(kind).set_payload(body)
}

async fn put(api: &Api, who: &Who, file: Sent<'_>, fields: &[(&str, &str)]) -> Answer {
    api.call(who.sign(form("/files", &file, fields))).await
}

/// A picture of this size, as far as anybody looks.
fn png(width: u32, height: u32) -> Vec<u8> {
    let head = [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &width.to_be_bytes(), &height.to_be_bytes()];
    [&head.concat()[..], b"\x08\x06\0\0\0"].concat()
}

fn jpg(width: u16, height: u16) -> Vec<u8> {
    let (w, h) = (width.to_be_bytes(), height.to_be_bytes());
    [&b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xfe\0\x03c\xff\xc2\0\x11\x08"[..], &h, &w, b"\x03"]
        .concat()
}

fn gif(width: u16, height: u16) -> Vec<u8> {
    [&b"GIF89a"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\0\0\0"].concat()
}

fn webp(chunk: &[u8]) -> Vec<u8> {
    [&b"RIFF\x20\0\0\0WEBP"[..], chunk].concat()
}

const PDF: &[u8] = b"%PDF-1.7\n%%EOF";
const ATTACHMENT: &[(&str, &str)] = &[("category", "attachment")];

async fn kept(memory: &Memory) -> usize {
    memory.0.lock().unwrap().len()
}

/// An application, and what its storage holds.
async fn with_memory() -> (Api, Arc<Memory>) {
    let memory = Arc::<Memory>::default();
    let files: Arc<dyn FileStorage> = Arc::<Memory>::clone(&memory);
    (Api::with(|services| Services { files, ..services }).await, memory)
}

#[actix_web::test]
async fn a_file_is_stored_listed_downloaded_and_removed() {
    let (api, memory) = with_memory().await;
    let ana = api.owner("ana@example.com").await;
    let made = put(&api, &ana, Sent(PDF, "Ponudba št. 1.pdf", "application/pdf"), ATTACHMENT).await;
    let made = made.with(201).json();
    let id = text(&made["id"]);
    let url = format!("https://racun.example/files/{id}/download");
    let expected = json!({
        "id": id, "entity_id": ana.entity(), "category": "attachment", "business_unit_id": null,
        "expense_id": null, "invoice_id": null, "estimate_id": null, "credit_note_id": null,
        "advance_invoice_id": null, "url": url, "secureUrl": url, "publicId": id, "format": "pdf",
        "width": null, "height": null, "bytes": PDF.len(), "filename": "Ponudba št. 1.pdf",
        "mime_type": "application/pdf", "metadata": {}, "created_at": "2026-11-20T08:00:00.000Z",
        "updated_at": "2026-11-20T08:00:00.000Z",
    });
    assert_eq!(made, expected);
    assert_eq!(api.get(&format!("/files/{id}"), &ana).await.with(200).json(), expected);
    let list = api.get("/files?search=ponudba", &ana).await.with(200).json();
    assert_eq!((&list["data"][0], &list["pagination"]["total"]), (&expected, &json!(1)));
    let answer = api.get(&format!("/files/{id}/download"), &ana).await.with(200);
    assert_eq!(answer.text.as_bytes(), PDF);
    assert_eq!(answer.header("content-type"), "application/pdf");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"Ponudba _t. 1.pdf\"; filename*=UTF-8''Ponudba%20%C5%A1t.%201.pdf"
    );
    assert_eq!(kept(&memory).await, 1);
    api.delete(&format!("/files/{id}"), &ana).await.with(204);
    assert_eq!(kept(&memory).await, 0);
    for path in [format!("/files/{id}"), format!("/files/{id}/download")] {
        api.get(&path, &ana).await.with(404);
    }
    api.delete(&format!("/files/{id}"), &ana).await.with(404);
}

#[actix_web::test]
async fn the_bytes_decide_type_and_size_of_a_picture() {
    let api = Api::new().await;
    let ana = api.owner("ana@example.com").await;
    let lossy = webp(b"VP8 \x10\0\0\0\0\0\0\x9d\x01\x2a\x40\x01\xf0\0");
    let lossless = webp(b"VP8L\x10\0\0\0\x2f\x3f\xc1\x3b\0");
    let extended = webp(b"VP8X\x0a\0\0\0\0\0\0\0\x3f\x01\0\xef\0\0");
    for (content, name, media_type, format) in [
        (png(320, 240), "a.png", "image/png", "png"),
        (png(320, 240), "", "", "png"),
        (png(320, 240), "a", "application/octet-stream", "png"),
        (jpg(320, 240), "a.JPEG", "image/jpg", "jpg"),
        (gif(320, 240), "a.gif", "image/gif", "gif"),
        (lossy, "a.webp", "image/webp", "webp"),
        (lossless, "a.webp", "image/webp", "webp"),
        (extended, "a.webp", "image/webp", "webp"),
    ] {
        let request = form("/upload/image", &Sent(&content, name, media_type), &[]);
        let made = api.call(ana.sign(request)).await.with(201).json();
        let told = json!([made["format"], made["width"], made["height"], made["bytes"]]);
        assert_eq!(told, json!([format, 320, 240, content.len()]), "{name} {media_type}");
    }
    for (content, status, part) in [
        (png(0, 240), 422, "damaged"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0".to_vec(), 422, "damaged"),
        (b"\xff\xd8\xff\xd9".to_vec(), 422, "damaged"),
        (b"\xff\xd8\xff\xe0\xff\xff".to_vec(), 422, "damaged"),
        (webp(b"VP9 "), 422, "damaged"),
        (png(30_000, 30_000), 422, "pixels"),
        (png(u32::MAX, u32::MAX), 422, "pixels"),
        (PDF.to_vec(), 415, "no picture"),
        (b"BM\x46\0\0\0".to_vec(), 415, "no picture"),
    ] {
        let request = form("/upload/image", &Sent(&content, "a", ""), &[]);
        let answer = api.call(ana.sign(request)).await.with(status);
        assert!(answer.text.contains(part), "{}", answer.text);
    }
}

#[actix_web::test]
async fn printed_pictures_have_a_lower_pixel_limit_than_attachments() {
    let api = Api::new().await;
    let ana = api.owner("ana@example.com").await;
    let mut deep = png(3_000, 3_000);
    deep[24] = 16;
    for (content, status) in [
        (png(4_000, 4_000), 201),
        (jpg(5_000, 3_200), 201),
        (png(4_001, 4_000), 422),
        (jpg(6_000, 4_000), 422),
        (deep, 422),
    ] {
        for category in ["logo", "signature"] {
            let sent = Sent(&content, "a", "");
            let answer = put(&api, &ana, sent, &[("category", category)]).await.with(status);
            assert!(status == 201 || answer.text.contains("save it smaller"), "{}", answer.text);
        }
        put(&api, &ana, Sent(&content, "a", ""), ATTACHMENT).await.with(201);
    }
}

#[actix_web::test]
async fn mislabelled_and_executable_files_are_refused() {
    let (api, memory) = with_memory().await;
    let ana = api.owner("ana@example.com").await;
    let zip = b"PK\x03\x04\x14\0\0\0a.txt".to_vec();
    let workbook = [&zip[..], b"[Content_Types].xml", b"xl/workbook.xml"].concat();
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>1</script></svg>";
    let xml = |inner: &str| format!("<?xml version=\"1.0\"?>{inner}").into_bytes();
    let refused: &[(&[u8], &str, &str)] = &[
        (b"MZ\x90\0\x03", "a.exe", "application/octet-stream"),
        (b"MZ\x90\0\x03", "a.pdf", "application/pdf"),
        (b"\x7fELF\x02\x01", "a", ""),
        (b"#!/bin/sh\nrm -rf /", "a.csv", "text/csv"),
        (b"<html><script>1</script>", "a.html", "text/html"),
        (b"<html><script>1</script>", "a.csv", "text/csv"),
        (b"<!DOCTYPE html>", "a.xml", "text/xml"),
        (svg.as_bytes(), "a.svg", "image/svg+xml"),
        (svg.as_bytes(), "a.png", "image/png"),
        (&xml(svg), "a.xml", "text/xml"),
        (&xml("<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>"), "a.xml", ""),
        (&xml("<h:html xmlns:h=\"http://www.w3.org/1999/xhtml\"/>"), "a.xml", ""),
        (&png(1, 1), "a.jpg", ""),
        (&png(1, 1), "a.png.exe", ""),
        (&png(1, 1), "a.svg", "image/png"),
        (&png(1, 1), "a.png", "text/html"),
        (&jpg(1, 1), "a.pdf", "application/pdf"),
        (PDF, "a.html", "application/pdf"),
        (&zip, "a.xlsx", ""),
        (&workbook, "a.zip", "application/zip"),
        (b"plain text", "a.txt", "text/plain"),
        (b"a;b\0c", "a.csv", "text/csv"),
        (b"\xff\xfea\0;\0", "a.csv", "text/csv"),
    ];
    for (content, name, media_type) in refused {
        let answer = put(&api, &ana, Sent(content, name, media_type), ATTACHMENT).await;
        assert_eq!(answer.status, 415, "{name} {media_type}: {}", answer.text);
        assert_eq!(answer.json()["code"], "unsupported_media_type");
    }
    assert_eq!(kept(&memory).await, 0, "nothing of what was refused is kept");
    let taken: &[(&[u8], &str, &str, &str)] = &[
        (&zip, "a.zip", "application/x-zip-compressed", "zip"),
        (&workbook, "a.xlsx", "", "xlsx"),
        ("\u{feff}ime;cena\r\nČaj;2,50\r\n".as_bytes(), "a.csv", "application/vnd.ms-excel", "csv"),
        (&xml("<Invoice>1</Invoice>"), "a.xml", "text/xml; charset=utf-8", "xml"),
    ];
    for (content, name, media_type, format) in taken {
        let answer = put(&api, &ana, Sent(content, name, media_type), ATTACHMENT).await;
        assert_eq!(answer.with(201).json()["format"], *format);
    }
}

#[actix_web::test]
async fn names_lose_what_others_would_stumble_over() {
    let api = Api::new().await;
    let ana = api.owner("ana@example.com").await;
    let long = format!("{}.pdf", "a".repeat(300));
    let kept_long = format!("{}.pdf", "a".repeat(144));
    for (sent, expected) in [
        ("../../etc/passwd.pdf", "passwd.pdf"),
        ("C:\\\\temp\\\\a.pdf", "a.pdf"),
        (".pdf", "pdf.pdf"),
        ("", "file.pdf"),
        ("...", "file.pdf"),
        ("a|b:c.pdf", "a_b_c.pdf"),
        ("a\u{202e}fdp.pdf", "afdp.pdf"),
        (" a.pdf ", "a.pdf"),
        ("račun", "račun.pdf"),
        (&long, &kept_long),
    ] {
        let made = put(&api, &ana, Sent(PDF, sent, ""), ATTACHMENT).await.with(201).json();
        assert_eq!(made["filename"], expected, "{sent:?}");
    }
}

#[actix_web::test]
async fn too_much_is_refused_with_413_and_half_a_body_with_400() {
    const MIB: usize = 1024 * 1024;
    let (api, memory) = with_memory().await;
    let ana = api.owner("ana@example.com").await;
    let filled = |begin: &[u8], size: usize| {
        let mut content = begin.to_vec();
        content.resize(size, b' ');
        content
    };
    let logo: &[(&str, &str)] = &[("category", "logo")];
    for (content, fields, status) in [
        (filled(PDF, 10 * MIB), ATTACHMENT, 201),
        (filled(PDF, 10 * MIB + 1), ATTACHMENT, 413),
        (filled(PDF, 11 * MIB), ATTACHMENT, 413),
        (filled(&png(1, 1), 5 * MIB), logo, 201),
        (filled(&png(1, 1), 5 * MIB + 1), logo, 413),
    ] {
        let answer = put(&api, &ana, Sent(&content, "", ""), fields).await;
        assert_eq!(answer.status, status, "{} bytes: {}", content.len(), answer.text);
        if status == 413 {
            assert_eq!(answer.json()["code"], "payload_too_large");
        }
    }
    for (size, status) in [(5 * MIB, 201), (5 * MIB + 1, 413), (6 * MIB, 413)] {
        let content = filled(&png(1, 1), size);
        let request = form("/upload/image", &Sent(&content, "", ""), &[]);
        assert_eq!(api.call(ana.sign(request)).await.status, status, "{size}");
    }
    let before = kept(&memory).await;
    let half = "--b\r\ncontent-disposition: form-data; name=\"category\"\r\n\r\nattachment\r\n\
                --b\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\n%PDF-1.7 half";
    let kind = ("content-type", "multipart/form-data; boundary=b");
    let request = TestRequest::post().uri("/files").insert_header(kind).set_payload(half);
    api.call(ana.sign(request)).await.with(400);
    api.post("/files", &ana, json!({"category": "logo"})).await.with(415);
    assert_eq!(kept(&memory).await, before);
}

#[actix_web::test]
async fn mistakes_in_the_form_are_named() {
    let (api, memory) = with_memory().await;
    let ana = api.owner("ana@example.com").await;
    let unknown = "unit_01jd0000000000000000000000";
    let invoice = "inv_01jd0000000000000000000000";
    for (fields, path, code) in [
        (&[][..], "category", "invalid_value"),
        (&[("category", "photo")][..], "category", "invalid_value"),
        (&[ATTACHMENT[0], ("business_unit_id", "x")][..], "business_unit_id", "invalid_id"),
        (&[ATTACHMENT[0], ("business_unit_id", unknown)][..], "business_unit_id", "not_found"),
        (&[ATTACHMENT[0], ("invoice_id", unknown)][..], "invoice_id", "invalid_id"),
        (&[ATTACHMENT[0], ("invoice_id", invoice)][..], "invoice_id", "not_found"),
        (&[ATTACHMENT[0], ("estimate_id", invoice)][..], "estimate_id", "invalid_id"),
        (&[("category", "logo"), ("invoice_id", invoice)][..], "invoice_id", "not_allowed"),
        (
            &[("category", "logo"), ("business_unit_id", unknown)][..],
            "business_unit_id",
            "not_found",
        ),
        (&[ATTACHMENT[0], ATTACHMENT[0]][..], "category", "duplicate_field"),
    ] {
        let answer = put(&api, &ana, Sent(&png(1, 1), "", ""), fields).await.with(422);
        let path = format!("[\"{path}\"]");
        assert_eq!(answer.issue(), (path, code.to_owned()), "{fields:?}");
    }
    let empty = put(&api, &ana, Sent(b"", "a.pdf", ""), ATTACHMENT).await.with(422);
    assert_eq!(empty.issue(), ("[\"file\"]".to_owned(), "required".to_owned()));
    assert_eq!(kept(&memory).await, 0, "bytes of what was refused are gone again");
    for query in ["query=%7B%22slot%22%3A%22logo%22%7D", "category=logo&query=%7B%7D"] {
        api.get(&format!("/files?{query}"), &ana).await.with(422);
    }
}

async fn list(api: &Api, who: &Who, query: &str) -> Vec<Value> {
    let list = api.get(&format!("/files?{query}"), who).await.with(200).json();
    list["data"].as_array().unwrap().iter().map(|file| file["id"].clone()).collect()
}

#[actix_web::test]
async fn a_logo_replaces_the_one_before_and_the_entity_and_the_unit_say_so() {
    let (api, memory) = with_memory().await;
    let ana = api.owner("ana@example.com").await;
    let entity = async || {
        let found = api.get(&format!("/entities/{}", ana.entity()), &ana).await.with(200).json();
        json!([found["settings"]["has_logo"], found["settings"]["has_signature"]])
    };
    let unit = api.post("/business-units", &ana, json!({"name": "Center"})).await.with(201).json();
    let unit = text(&unit["id"]);
    let said = async || {
        let found = api.get(&format!("/business-units/{unit}"), &ana).await.with(200).json();
        [found["logo_file_id"].clone(), found["signature_file_id"].clone()]
    };
    let upload = async |fields: &[(&str, &str)]| {
        let made = put(&api, &ana, Sent(&png(8, 8), "a.png", "image/png"), fields).await;
        made.with(201).json()["id"].clone()
    };
    let first = upload(&[("category", "logo")]).await;
    let signature = upload(&[("category", "signature")]).await;
    assert_eq!(entity().await, json!([true, true]));
    let of_unit = upload(&[("category", "logo"), ("business_unit_id", &unit)]).await;
    assert_eq!(said().await, [of_unit.clone(), Value::Null]);
    let second = upload(&[("category", "logo")]).await;
    assert_eq!(kept(&memory).await, 3, "the first logo's bytes are gone");
    api.get(&format!("/files/{}", text(&first)), &ana).await.with(404);
    assert_eq!(list(&api, &ana, "category=logo&order_by=created_at").await.len(), 2);
    assert_eq!(
        list(&api, &ana, &format!("business_unit_id={unit}")).await,
        std::slice::from_ref(&of_unit)
    );
    assert_eq!(list(&api, &ana, "category=signature").await, std::slice::from_ref(&signature));
    let newer = upload(&[("category", "logo"), ("business_unit_id", &unit)]).await;
    assert_eq!(said().await[0], newer);
    for id in [second, newer] {
        api.delete(&format!("/files/{}", text(&id)), &ana).await.with(204);
    }
    assert_eq!(entity().await, json!([false, true]));
    assert_eq!(said().await, [Value::Null, Value::Null]);
    // A unit that names another file by now is left as it is.
    let mine = upload(&[("category", "logo"), ("business_unit_id", &unit)]).await;
    let other = json!({"logo_file_id": signature});
    api.patch(&format!("/business-units/{unit}"), &ana, other).await.with(200);
    api.delete(&format!("/files/{}", text(&mine)), &ana).await.with(204);
    assert_eq!(said().await[0], signature);
}

#[actix_web::test]
async fn files_of_others_are_not_found_and_viewers_only_read() {
    let (api, memory) = with_memory().await;
    let ana = api.owner("ana@example.com").await;
    let bor = api.owner("bor@example.com").await;
    let unit = api.post("/business-units", &ana, json!({"name": "Center"})).await.with(201).json();
    let made = put(&api, &ana, Sent(PDF, "a.pdf", ""), ATTACHMENT).await.with(201).json();
    let path = format!("/files/{}", text(&made["id"]));
    for path in [path.clone(), format!("{path}/download")] {
        api.get(&path, &bor).await.with(404);
        api.get(&path, &Who::anonymous()).await.with(401);
    }
    api.delete(&path, &bor).await.with(404);
    assert!(list(&api, &bor, "").await.is_empty());
    for category in ["attachment", "logo"] {
        let fields = [("category", category), ("business_unit_id", unit["id"].as_str().unwrap())];
        put(&api, &bor, Sent(&png(1, 1), "a.png", ""), &fields).await.with(422);
    }
    let viewer = api.member(&ana, "vid@example.com", "viewer").await;
    api.get(&format!("{path}/download"), &viewer).await.with(200);
    api.delete(&path, &viewer).await.with(403);
    put(&api, &viewer, Sent(PDF, "a.pdf", ""), ATTACHMENT).await.with(403);
    let editor = api.member(&ana, "eva@example.com", "editor").await;
    let logo = [("category", "logo")];
    put(&api, &editor, Sent(&png(1, 1), "a.png", ""), &logo).await.with(201);
    assert_eq!(kept(&memory).await, 2);
    api.get(&path, &ana).await.with(200);
}

/// A storage that is away.
struct Away;

#[async_trait]
impl FileStorage for Away {
    async fn put(&self, _: &str, _: Vec<u8>) -> Result<(), StorageError> {
        Err(StorageError::Unavailable("away".to_owned()))
    }

    async fn get(&self, _: &str) -> Result<Option<Vec<u8>>, StorageError> {
        Err(StorageError::Unavailable("away".to_owned()))
    }

    async fn delete(&self, _: &str) -> Result<(), StorageError> {
        Err(StorageError::Unavailable("away".to_owned()))
    }
}

#[actix_web::test]
async fn without_a_storage_nothing_is_recorded() {
    let api = Api::with(|services| Services { files: Arc::new(Away), ..services }).await;
    let ana = api.owner("ana@example.com").await;
    let answer = put(&api, &ana, Sent(PDF, "a.pdf", ""), ATTACHMENT).await.with(503);
    assert!(!answer.text.contains("away"), "{}", answer.text);
    assert!(list(&api, &ana, "").await.is_empty());
}
