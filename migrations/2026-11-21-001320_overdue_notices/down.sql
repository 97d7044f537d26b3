DROP TABLE "overdue_notices";
