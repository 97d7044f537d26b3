DROP TABLE "recognition_entries";
