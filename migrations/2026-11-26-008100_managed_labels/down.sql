DROP TABLE "managed_labels";
