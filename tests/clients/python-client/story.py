"""A day with the client that openapi-python-client writes."""

import sys

from client import Client
from client.api.account_api_keys import create_account_key
from client.api.customers import create_customer, get_customer, list_customers, update_customer
from client.api.documents import finalize_document
from client.api.entities import create_entity, get_entity
from client.api.estimates import accept_estimate, create_estimate
from client.api.invoices import create_invoice, get_invoice, list_invoices, update_invoice
from client.api.items import create_item
from client.api.payments import create_payment, list_payments
from client.api.users import get_me, log_in, sign_up
from client.api.webhooks import create_webhook
from client.models import (
    CreateCustomer,
    CreateDocumentItem,
    CreateEstimate,
    CreateInvoice,
    CreateItem,
    CreatePayment,
    CreateWebhook,
    CustomerInput,
    DocumentItemTaxInput,
    Environment,
    Error,
    FinalizeDocument,
    LogIn,
    NewAccountKey,
    NewEntity,
    PaymentType,
    ReplyToEstimate,
    SignUp,
    UpdateInvoice,
)

CALLS = 0


def call(operation, *arguments, **named):
    """The answer of an operation, which is a success."""
    global CALLS
    CALLS += 1
    answer = operation.sync_detailed(*arguments, client=client, **named)
    assert answer.status_code < 300, (operation.__name__, answer.status_code, answer.content)
    return answer.parsed


client = Client(base_url=sys.argv[1])
me = {"email": "python-client@example.com", "password": "change me 1"}
call(sign_up, body=SignUp(**me))
token = call(log_in, body=LogIn(**me)).id
client = client.with_headers({"authorization": f"Bearer {token}"})
assert call(get_me).email == me["email"]
entity = call(
    create_entity,
    body=NewEntity(name="Ana s.p.", country="Slovenia", environment=Environment.SANDBOX),
)
client = client.with_headers({"x-entity-id": entity.id})
assert call(get_entity, entity.id).name == "Ana s.p."
call(create_account_key, body=NewAccountKey(name="k", environment=Environment.SANDBOX))
customer = call(create_customer, body=CreateCustomer(name="Bor d.o.o.", country_code="SI"))
assert call(get_customer, customer.id).name == "Bor d.o.o."
call(update_customer, customer.id, body=CustomerInput(city="Celje"))
assert len(call(list_customers, limit=5).data) == 1
item = call(create_item, body=CreateItem(name="Consulting", price=50))
line = CreateDocumentItem(item_id=item.id, quantity=2, taxes=[DocumentItemTaxInput(rate=22)])
invoice = call(create_invoice, body=CreateInvoice(customer_id=customer.id, items=[line]))
assert invoice.total_with_tax == 122
assert call(get_invoice, invoice.id).created_at.year >= 2026
call(update_invoice, invoice.id, body=UpdateInvoice(note="n"))
assert call(list_invoices, query='{"paid_in_full": false}').pagination.total == 1
call(
    create_payment,
    body=CreatePayment(type_=PaymentType.CASH, amount=22, document_id=invoice.id),
)
# A value that a later version adds would be read as well: it is text.
assert call(list_payments).data[0].type_ == "cash"
tea = CreateDocumentItem(name="Tea", price=2)
estimate = call(create_estimate, body=CreateEstimate(items=[tea]))
call(accept_estimate, estimate.id, body=ReplyToEstimate())
draft = call(create_invoice, body=CreateInvoice(items=[tea], is_draft=True))
assert type(call(finalize_document, draft.id, body=FinalizeDocument())).__name__ == "Invoice"
call(create_webhook, body=CreateWebhook(url="https://example.com/hook", events=["invoice.created"]))
CALLS += 1
refused = create_invoice.sync_detailed(client=client, body=CreateInvoice(items=[]))
assert refused.status_code == 422 and isinstance(refused.parsed, Error), refused
assert CALLS >= 20, CALLS
print(f"openapi-python-client: {CALLS} calls")
