// A day with the client that openapi-generator writes for typescript-fetch.
import * as api from "./client";

declare const process: { argv: string[]; exitCode: number };

let calls = 0;
const headers: Record<string, string> = {};
const configuration = new api.Configuration({
  basePath: process.argv[2],
  middleware: [
    {
      async pre(context) {
        calls += 1;
        return { url: context.url, init: { ...context.init, headers: { ...context.init.headers, ...headers } } };
      },
    },
  ],
});

function same(found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`expected ${expected}, found ${found}`);
}

async function play(): Promise<void> {
  const users = new api.UsersApi(configuration);
  const me = { email: "fetch@example.com", password: "change me 1" };
  await users.signUp({ signUp: me });
  headers["authorization"] = `Bearer ${(await users.logIn({ logIn: me })).id}`;
  same((await users.getMe()).email, me.email);
  const entities = new api.EntitiesApi(configuration);
  const entity = await entities.createEntity({
    newEntity: { name: "Ana s.p.", country: "Slovenia", environment: "sandbox" },
  });
  headers["x-entity-id"] = entity.id;
  same((await entities.getEntity({ id: entity.id })).name, "Ana s.p.");
  await new api.AccountAPIKeysApi(configuration).createAccountKey({
    newAccountKey: { name: "k", environment: "sandbox" },
  });
  const customers = new api.CustomersApi(configuration);
  const customer = await customers.createCustomer({ createCustomer: { name: "Bor d.o.o.", countryCode: "SI" } });
  same((await customers.getCustomer({ id: customer.id })).name, "Bor d.o.o.");
  await customers.updateCustomer({ id: customer.id, customerInput: { city: "Celje" } });
  same((await customers.listCustomers({ limit: 5 })).data.length, 1);
  const item = await new api.ItemsApi(configuration).createItem({ createItem: { name: "Consulting", price: 50 } });
  const invoices = new api.InvoicesApi(configuration);
  const invoice = await invoices.createInvoice({
    createInvoice: { customerId: customer.id, items: [{ itemId: item.id, quantity: 2, taxes: [{ rate: 22 }] }] },
  });
  same(invoice.totalWithTax, 122);
  same((await invoices.getInvoice({ id: invoice.id })).createdAt instanceof Date, true);
  await invoices.updateInvoice({ id: invoice.id, updateInvoice: { note: "n" } });
  same((await invoices.listInvoices({ query: JSON.stringify({ paid_in_full: false }) })).pagination.total, 1);
  const payments = new api.PaymentsApi(configuration);
  await payments.createPayment({ createPayment: { type: "cash", amount: 22, documentId: invoice.id } });
  same((await payments.listPayments({})).data[0].type, "cash");
  const items = [{ name: "Tea", price: 2 }];
  const estimates = new api.EstimatesApi(configuration);
  const estimate = await estimates.createEstimate({ createEstimate: { items } });
  await estimates.acceptEstimate({ id: estimate.id, body: {} });
  const draft = await invoices.createInvoice({ createInvoice: { items, isDraft: true } });
  await new api.DocumentsApi(configuration).finalizeDocument({ id: draft.id, finalizeDocument: {} });
  await new api.WebhooksApi(configuration).createWebhook({
    createWebhook: { url: "https://example.com/hook", events: ["invoice.created"] },
  });
  const refused = await invoices.createInvoice({ createInvoice: { items: [] } }).catch((error) => error);
  same(refused.response.status, 422);
  if (calls < 20) throw new Error(`only ${calls} calls`);
  console.log(`openapi-generator typescript-fetch: ${calls} calls`);
}

play().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
