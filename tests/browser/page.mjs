// The page behind a shared link, as a customer's browser shows it.
//
// usage: node page.mjs ADDRESS CHROMIUM FOLDER
//
// Pages are opened with scripts off, as they need none. axe, which is a script, looks at them in a second tab where
// scripts are on. A failed page is kept as a picture in the folder.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [address, executablePath, folder] = process.argv.slice(2);
const WIDTHS = [320, 820, 1366];
const LANGUAGES = [
  "en", "de", "sl", "it", "fr", "es", "pt", "nl", "pl", "hr", "sv", "fi", "et", "bg", "cs", "sk", "nb", "is",
];
const TEMPLATES = ["modern", "classic", "condensed", "minimal", "fashion", "timeless_modern_full_data"];
// The rules of WCAG 2.2 at level AA, and of the versions before.
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const MOST_BYTES = 100_000;
const DAY = 86_400_000;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// What the server is asked by its interface.

const headers = { "content-type": "application/json" };

async function call(method, path, body) {
  const answer = await fetch(address + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

async function signUp() {
  const me = { email: "browser@example.com", password: "correct horse 1" };
  await call("POST", "/users/signup", me);
  headers.authorization = `Bearer ${(await call("POST", "/users/login", me)).id}`;
  const entity = await call("POST", "/entities", {
    name: "Pekarna Žabica d.o.o.",
    country: "Slovenia",
    address: "Slovenska cesta 1",
    city: "Ljubljana",
    post_code: "1000",
    tax_number: "SI12345679",
    environment: "sandbox",
    settings: {
      primary_color: "#e8d44d",
      bank_accounts: [{ iban: "SI56192001234567892", bank_name: "Deželna banka" }],
      upn_qr: { enabled: true, display_mode: "full_slip" },
      epc_qr: { enabled: true },
    },
  });
  headers["x-entity-id"] = entity.id;
  const logo = new FormData();
  logo.set("category", "logo");
  logo.set("file", new Blob([Buffer.from(PIXEL, "base64")], { type: "image/png" }), "logo.png");
  const { "content-type": _, ...others } = headers;
  const answer = await fetch(`${address}/files`, { method: "POST", headers: others, body: logo });
  assert.ok(answer.ok, await answer.text());
}

const day = (days) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);

// Makes a document and answers its id and the path of its link.
async function shared(kind, more = {}) {
  const document = await call("POST", `/${kind}`, {
    customer: { name: `Čevljarstvo ${"W".repeat(60)} s.p.`, address: "Šmartinska cesta 152", city: "Maribor" },
    items: [
      {
        name: "Svetovanje <b>pri</b> prenovi",
        description: "Dan\nin noč",
        quantity: 2.5,
        price: 1234.5,
        taxes: [{ rate: 22 }],
      },
      { name: "Q".repeat(90), price: 3, taxes: [{ rate: 9.5 }], discounts: [{ value: 10 }] },
    ],
    note: "Hvala.\nVeselimo se.",
    ...more,
  });
  return { id: document.id, total: document.total_with_tax, path: await share(document.id) };
}

async function share(id) {
  const { shareable_link: link } = await call("POST", `/documents/${id}/share`, {});
  return new URL(link).pathname;
}

// One document of each kind and state, by what it is called here.
async function documents() {
  const all = {};
  all.open = await shared("invoices");
  all.overdue = await shared("invoices", { date: day(-20), date_due: day(-5) });
  all.paid = await shared("invoices");
  await call("POST", "/payments", { type: "cash", amount: all.paid.total, document_id: all.paid.id });
  all.voided = await shared("invoices");
  await call("POST", `/invoices/${all.voided.id}/void`, { reason: "Napaka" });
  all.large = await shared("invoices", {
    items: [
      { name: "Most", unit: "kos", price: 10_948_329_588.66, taxes: [{ rate: 22 }], discounts: [{ value: 10 }] },
    ],
  });
  all.estimate = await shared("estimates");
  all.credit = await shared("credit-notes");
  all.advance = await shared("advance-invoices", { payments: [{ type: "bank_transfer" }] });
  all.settled = await shared("invoices", { linked_documents: [all.advance.id] });
  all.delivery = await shared("delivery-notes", { hide_prices: true });
  return all;
}

// What a browser sees.

// A tab that notes what it asks for elsewhere, what fails and what it complains of.
async function open(browser, width, javaScriptEnabled) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled });
  const page = await context.newPage();
  const seen = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== address) seen.push(`asked ${request.url()}`);
  });
  page.on("requestfailed", (request) => seen.push(`failed ${request.url()}`));
  page.on("pageerror", (error) => seen.push(`error ${error}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !/40[49]|422/.test(message.text())) seen.push(message.text());
  });
  return { context, page, seen };
}

async function visit(tab, path, status = 200) {
  const answer = await tab.page.goto(address + path);
  assert.equal(answer.status(), status, path);
  return answer;
}

// That nothing is wider than the window, and all that is pressed is large enough for a thumb.
async function checkLayout(page) {
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? `${scrollWidth} of ${clientWidth} pixels` : null;
  });
  assert.equal(wide, null, "the page is wider than the window");
  for (const target of await page.locator("button, a").all()) {
    const box = await target.boundingBox();
    assert.ok(box.height >= 44 && box.width >= 44, `${await target.textContent()} is small`);
  }
}

// That no caption, no head and no amount is broken, and that no word of another cell is, but of long names.
async function checkWords(page) {
  const broken = await page.evaluate(() => {
    const found = [];
    const range = document.createRange();
    const isBroken = (node, from, to) => {
      range.setStart(node, from);
      range.setEnd(node, to);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
    };
    for (const element of document.querySelectorAll("caption, th[scope=col], td:not(.long), .totals dt, .totals dd")) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        // A fixed blank ends no word.
        for (const { 0: word, index } of node.data.matchAll(/[^ \n]+/g)) {
          if (isBroken(node, index, index + word.length)) found.push(word);
        }
      }
      if (element.tagName === "CAPTION" && element.getBoundingClientRect().height > 120) found.push(element.textContent);
    }
    return found;
  });
  assert.deepEqual(broken, [], "words are broken");
}

async function checkAxe(page) {
  await page.evaluate(axe);
  const found = await page.evaluate((values) => globalThis.axe.run({ runOnly: { type: "tag", values } }), RULES);
  const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const told = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(told, [], "axe");
  return found.violations.length;
}

let pages = 0;
let lesser = 0;

async function look(browser, path, width, { status = 200, language = "sl", more = "", check } = {}) {
  const reader = await open(browser, width, false);
  const machine = await open(browser, width, true);
  try {
    const answer = await visit(reader, `${path}?language=${language}${more}`, status);
    const bytes = (await answer.body()).length;
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
    assert.equal(await reader.page.locator("html").getAttribute("lang"), language);
    assert.equal(await reader.page.locator("script").count(), 0);
    await checkLayout(reader.page);
    await checkWords(reader.page);
    await check?.(reader.page);
    await visit(machine, `${path}?language=${language}${more}`, status);
    lesser += await checkAxe(machine.page);
    assert.deepEqual([...reader.seen, ...machine.seen], []);
    pages += 1;
  } catch (error) {
    await reader.page.screenshot({ path: join(folder, "failed.png"), fullPage: true });
    error.message = `${path}${more} at ${width} pixels in ${language}: ${error.message}`;
    throw error;
  } finally {
    await reader.context.close();
    await machine.context.close();
  }
}

const says = (...texts) => async (page) => {
  const text = await page.locator("body").innerText();
  for (const one of texts) assert.ok(text.includes(one), `${one} in ${text}`);
};
const hides = (...texts) => async (page) => {
  const text = await page.locator("body").innerText();
  for (const one of texts) assert.ok(!text.includes(one), `${one} in ${text}`);
};

const both = (one, other) => async (page) => {
  await one(page);
  await other(page);
};

// The file behind the link for it.
async function checkDownload(page) {
  const href = await page.locator("a.download").getAttribute("href");
  const answer = await fetch(new URL(href, page.url()));
  assert.equal(answer.status, 200);
  assert.equal(Buffer.from(await answer.arrayBuffer()).subarray(0, 5).toString(), "%PDF-");
}

// Accepts by the keyboard alone, rejects by a click, and sees a message when another reply came first.
async function reply(browser, width) {
  const pressed = [
    ["accept", "accepted_at", "Sprejeto"],
    ["reject", "rejected_at", "Zavrnjeno"],
  ];
  for (const [action, field, said] of pressed) {
    const { id, path } = await shared("estimates");
    const tab = await open(browser, width, false);
    const late = await open(browser, width, false);
    await visit(tab, `${path}?language=sl`);
    await visit(late, `${path}?language=sl`);
    const button = tab.page.locator(`form[action*="/${action}"] button`);
    if (action === "accept") {
      for (let steps = 0; !(await button.evaluate((one) => one === document.activeElement)); steps += 1) {
        assert.ok(steps < 20, "no way to the button by keyboard");
        await tab.page.keyboard.press("Tab");
      }
      await Promise.all([tab.page.waitForURL(/shareable/), tab.page.keyboard.press("Enter")]);
    } else {
      await button.click();
    }
    await tab.page.waitForSelector(".state");
    await says(said)(tab.page);
    assert.equal(await tab.page.locator("form").count(), 0, "a reply is final");
    assert.ok((await call("GET", `/estimates/${id}`))[field], `${field} is set`);
    await late.page.locator(`form[action*="/${action === "accept" ? "reject" : "accept"}"] button`).click();
    await late.page.waitForSelector("[role=alert]");
    assert.deepEqual([...tab.seen, ...late.seen], []);
    await tab.context.close();
    await late.context.close();
  }
}

await signUp();
const all = await documents();
const revoked = await shared("invoices");
await call("DELETE", `/documents/${revoked.id}/share`);
// No name leads anywhere, and root has no sandbox.
const args = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];
if (process.getuid?.() === 0) args.push("--no-sandbox");
const browser = await chromium.launch({ executablePath, args });
try {
  const checks = {
    open: says("UPN QR", "EPC QR", "SI56 1920 0123 4567 892", "Svetovanje <b>pri</b> prenovi"),
    overdue: says("Zapadlo"),
    paid: both(says("Plačano"), hides("UPN QR", "EPC QR", "Zapadlo")),
    voided: both(says("Stornirano"), hides("UPN QR", "EPC QR", "Zapadlo")),
    delivery: hides("1.234", "€"),
  };
  for (const width of WIDTHS) {
    for (const [name, { path }] of Object.entries(all)) await look(browser, path, width, { check: checks[name] });
    await look(browser, revoked.path, width, { status: 404 });
    await reply(browser, width);
  }
  for (const template of TEMPLATES) {
    const more = `&template=${template}`;
    for (const { path } of [all.open, all.large, all.settled]) {
      for (const width of WIDTHS) await look(browser, `${path}/html`, width, { more });
    }
  }
  for (const language of LANGUAGES) {
    for (const width of WIDTHS) await look(browser, all.settled.path, width, { language });
    await look(browser, all.open.path, WIDTHS[0], { language, check: checkDownload });
  }
} finally {
  await browser.close();
}
console.log(
  `browser: ${pages} pages at ${WIDTHS.join(", ")} pixels in ${LANGUAGES.length} languages: nothing serious ` +
    `(${lesser} lesser findings), nothing from elsewhere; estimates accepted and rejected without scripts`,
);
