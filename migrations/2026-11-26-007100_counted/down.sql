DROP INDEX "invoices_counted";
