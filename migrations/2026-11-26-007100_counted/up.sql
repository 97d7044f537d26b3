-- What statistics add up of invoices, beside their days: a year by month is read from here alone.

CREATE INDEX "invoices_counted"
    ON "invoices" (tenant, "date")
    INCLUDE ("deleted_at", "is_draft", "voided_at", "currency_code", "total", "total_with_tax", "total_converted",
        "total_with_tax_converted");
