"""A day with the client that openapi-generator writes for Python."""

import json
import sys

import client as api
from client.exceptions import ApiException

configuration = api.Configuration(host=sys.argv[1])
connection = api.ApiClient(configuration)
CALLS = 0
send = connection.call_api


def counted(*arguments, **named):
    """Sends a request as the client does, and counts it."""
    global CALLS
    CALLS += 1
    return send(*arguments, **named)


connection.call_api = counted
me = {"email": "python@example.com", "password": "change me 1"}

users = api.UsersApi(connection)
users.sign_up(api.SignUp(**me))
configuration.access_token = users.log_in(api.LogIn(**me)).id
assert users.get_me().email == me["email"]
entities = api.EntitiesApi(connection)
entity = entities.create_entity(
    api.NewEntity(name="Ana s.p.", country="Slovenia", environment="sandbox")
)
connection.set_default_header("x-entity-id", entity.id)
assert entities.get_entity(entity.id).name == "Ana s.p."
keys = api.AccountAPIKeysApi(connection)
keys.create_account_key(api.NewAccountKey(name="k", environment="sandbox"))
customers = api.CustomersApi(connection)
customer = customers.create_customer(api.CreateCustomer(name="Bor d.o.o.", country_code="SI"))
assert customers.get_customer(customer.id).name == "Bor d.o.o."
customers.update_customer(customer.id, api.CustomerInput(city="Celje"))
assert len(customers.list_customers(limit=5).data) == 1
item = api.ItemsApi(connection).create_item(api.CreateItem(name="Consulting", price=50))
invoices = api.InvoicesApi(connection)
line = api.CreateDocumentItem(
    item_id=item.id, quantity=2, taxes=[api.DocumentItemTaxInput(rate=22)]
)
invoice = invoices.create_invoice(api.CreateInvoice(customer_id=customer.id, items=[line]))
assert invoice.total_with_tax == 122, invoice
assert invoices.get_invoice(invoice.id).created_at.year >= 2026
invoices.update_invoice(invoice.id, api.UpdateInvoice(note="n"))
assert invoices.list_invoices(query=json.dumps({"paid_in_full": False})).pagination.total == 1
payments = api.PaymentsApi(connection)
payments.create_payment(api.CreatePayment(type="cash", amount=22, document_id=invoice.id))
assert payments.list_payments().data[0].type == "cash"
tea = api.CreateDocumentItem(name="Tea", price=2)
estimates = api.EstimatesApi(connection)
estimate = estimates.create_estimate(api.CreateEstimate(items=[tea]))
estimates.accept_estimate(estimate.id, {})
draft = invoices.create_invoice(api.CreateInvoice(items=[tea], is_draft=True))
issued = api.DocumentsApi(connection).finalize_document(draft.id, api.FinalizeDocument())
assert isinstance(issued.actual_instance, api.Invoice), issued
api.WebhooksApi(connection).create_webhook(
    api.CreateWebhook(url="https://example.com/hook", events=["invoice.created"])
)
try:
    invoices.create_invoice(api.CreateInvoice(items=[]))
    raise AssertionError("an invoice without lines")
except ApiException as refused:
    assert refused.status == 422, refused
assert CALLS >= 20, CALLS
print(f"openapi-generator python: {CALLS} calls")
