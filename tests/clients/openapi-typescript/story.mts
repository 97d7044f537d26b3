// A day with the client that openapi-typescript types and openapi-fetch calls.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

declare const process: { argv: string[] };

let calls = 0;
const headers: Record<string, string> = {};
const client = createClient<paths>({ baseUrl: process.argv[2] });
client.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  },
});

function ok<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  calls += 1;
  if (answer.data === undefined) {
    throw new Error(`${answer.response.url} ${answer.response.status}: ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

function same(found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`expected ${expected}, found ${found}`);
}

const me = { email: "typescript@example.com", password: "change me 1" };
ok(await client.POST("/users/signup", { body: me }));
headers["authorization"] = `Bearer ${ok(await client.POST("/users/login", { body: me })).id}`;
same(ok(await client.GET("/users/me")).email, me.email);
const entity = ok(
  await client.POST("/entities", {
    body: {
      name: "Ana s.p.",
      country: "Slovenia",
      environment: "sandbox",
      settings: { default_invoice_due_days: 8 },
    },
  }),
);
headers["x-entity-id"] = entity.id;
same(ok(await client.GET("/entities/{id}", { params: { path: { id: entity.id } } })).settings.default_invoice_due_days, 8);
ok(await client.POST("/account/api-keys", { body: { name: "k", environment: "sandbox" } }));
const customer = ok(await client.POST("/customers", { body: { name: "Bor d.o.o.", country_code: "SI" } }));
const one = { params: { path: { id: customer.id } } };
same(ok(await client.GET("/customers/{id}", one)).name, "Bor d.o.o.");
ok(await client.PATCH("/customers/{id}", { ...one, body: { city: "Celje" } }));
same(ok(await client.GET("/customers", { params: { query: { limit: 5 } } })).data.length, 1);
const item = ok(await client.POST("/items", { body: { name: "Consulting", price: 50 } }));
const invoice = ok(
  await client.POST("/invoices", {
    body: { customer_id: customer.id, items: [{ item_id: item.id, quantity: 2, taxes: [{ rate: 22 }] }] },
  }),
);
same(invoice.total_with_tax, 122);
const path = { id: invoice.id };
same(ok(await client.GET("/invoices/{id}", { params: { path } })).customer?.name, "Bor d.o.o.");
ok(await client.PATCH("/invoices/{id}", { params: { path }, body: { note: "n" } }));
const query = { query: JSON.stringify({ paid_in_full: false }), order_by: ["-date"] };
same(ok(await client.GET("/invoices", { params: { query } })).pagination.total, 1);
ok(await client.POST("/payments", { body: { type: "cash", amount: 22, document_id: invoice.id } }));
same(ok(await client.GET("/payments")).data[0]?.type, "cash");
const lines = [{ name: "Tea", price: 2 }];
const estimate = ok(await client.POST("/estimates", { body: { items: lines } }));
ok(await client.POST("/estimates/{id}/accept", { params: { path: { id: estimate.id } }, body: {} }));
const draft = ok(await client.POST("/invoices", { body: { items: lines, is_draft: true } }));
const issued = ok(await client.POST("/documents/{id}/finalize", { params: { path: { id: draft.id } }, body: {} }));
same(issued.is_draft, false);
ok(await client.POST("/webhooks", { body: { url: "https://example.com/hook", events: ["invoice.created"] } }));
const refused = await client.POST("/invoices", { body: { items: lines, date: "yesterday" } });
calls += 1;
same(refused.error?.code === undefined, false);
if (calls < 20) throw new Error(`only ${calls} calls`);
console.log(`openapi-typescript: ${calls} calls`);
