DROP TABLE "export_jobs";
