DROP INDEX "invoices_voided_at_list";
DROP INDEX "estimates_voided_at_list";
DROP INDEX "credit_notes_voided_at_list";
DROP INDEX "advance_invoices_voided_at_list";
DROP INDEX "delivery_notes_voided_at_list";
DROP INDEX "payments_date_list";
