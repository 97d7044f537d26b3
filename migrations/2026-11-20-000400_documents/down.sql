DROP TABLE "document_relations";
DROP TABLE "document_versions";
DROP TABLE "delivery_notes";
DROP TABLE "advance_invoices";
DROP TABLE "credit_notes";
DROP TABLE "estimates";
DROP TABLE "invoices";
