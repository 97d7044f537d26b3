DROP TABLE "due_schedules";
DROP TABLE "recurring_runs";
DROP TABLE "recurring_invoices";
