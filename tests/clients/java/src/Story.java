import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

/** A day with the client that openapi-generator writes for Java. */
public class Story {
    private static int calls = 0;
    private static String token = "";
    private static String entity = "";

    private static void same(Object found, Object expected) {
        if (!expected.equals(found)) {
            throw new IllegalStateException("expected " + expected + ", found " + found);
        }
    }

    public static void main(String[] arguments) throws ApiException {
        ApiClient connection = new ApiClient();
        connection.updateBaseUri(arguments[0]);
        connection.setRequestInterceptor(request -> {
            calls += 1;
            if (!token.isEmpty()) {
                request.setHeader("authorization", "Bearer " + token);
            }
        });
        String email = "java@example.com";
        String password = "change me 1";
        UsersApi users = new UsersApi(connection);
        users.signUp(new SignUp().email(email).password(password));
        token = users.logIn(new LogIn().email(email).password(password)).getId();
        same(users.getMe().getEmail(), email);
        EntitiesApi entities = new EntitiesApi(connection);
        NewEntity wanted = new NewEntity().name("Ana s.p.").country("Slovenia").environment(Environment.SANDBOX);
        entity = entities.createEntity(wanted, null, null).getId();
        same(entities.getEntity(entity).getName(), "Ana s.p.");
        NewAccountKey key = new NewAccountKey().name("k").environment(Environment.SANDBOX);
        new AccountApiKeysApi(connection).createAccountKey(key, null, null);
        CustomersApi customers = new CustomersApi(connection);
        CreateCustomer bor = new CreateCustomer().name("Bor d.o.o.").countryCode("SI");
        String customer = customers.createCustomer(bor, entity, null).getId();
        same(customers.getCustomer(customer, entity).getName(), "Bor d.o.o.");
        customers.updateCustomer(customer, new CustomerInput().city("Celje"), entity, null);
        same(customers.getCustomer(customer, entity).getCity(), "Celje");
        CreateItem consulting = new CreateItem().name("Consulting").price(new java.math.BigDecimal(50));
        String item = new ItemsApi(connection).createItem(consulting, entity, null).getId();
        InvoicesApi invoices = new InvoicesApi(connection);
        CreateDocumentItem line = new CreateDocumentItem().itemId(item).quantity(new java.math.BigDecimal(2));
        CreateInvoice sale = new CreateInvoice().customerId(customer).items(List.of(line));
        Invoice invoice = invoices.createInvoice(sale, entity, null);
        same(invoice.getTotal().intValue(), 100);
        same(invoices.getInvoice(invoice.getId(), null, entity).getIsDraft(), false);
        invoices.updateInvoice(invoice.getId(), new UpdateInvoice().note("n"), entity, null);
        PaymentsApi payments = new PaymentsApi(connection);
        CreatePayment cash = new CreatePayment().type(PaymentType.CASH).amount(new java.math.BigDecimal(22));
        String payment = payments.createPayment(cash.documentId(invoice.getId()), entity, null).getId();
        same(payments.getPayment(payment, null, entity).getType(), "cash");
        CreateDocumentItem tea = new CreateDocumentItem().name("Tea").price(new java.math.BigDecimal(2));
        EstimatesApi estimates = new EstimatesApi(connection);
        String estimate = estimates.createEstimate(new CreateEstimate().items(List.of(tea)), entity, null).getId();
        same(estimates.getEstimate(estimate, null, entity).getId(), estimate);
        CreateInvoice draft = new CreateInvoice().items(List.of(tea)).isDraft(true);
        String drafted = invoices.createInvoice(draft, entity, null).getId();
        // Finalizing is left out: its answer is a document of any kind, and no property names the kind, so
        // the description has no discriminator. This generator reads such a choice by trying all kinds, and
        // refuses when several can be read, for it does not ask for the properties that a kind requires.
        same(invoices.getInvoice(drafted, null, entity).getIsDraft(), true);
        CreateWebhook hook = new CreateWebhook().url(java.net.URI.create("https://example.com/hook"));
        new WebhooksApi(connection).createWebhook(hook.events(List.of("invoice.created")), entity, null);
        try {
            invoices.createInvoice(new CreateInvoice().items(List.of()), entity, null);
            throw new IllegalStateException("an invoice without lines");
        } catch (ApiException refused) {
            same(refused.getCode(), 422);
        }
        if (calls < 20) {
            throw new IllegalStateException("only " + calls + " calls");
        }
        System.out.println("openapi-generator java: " + calls + " calls");
    }
}
