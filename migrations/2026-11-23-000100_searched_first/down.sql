-- The order of columns means nothing to any statement: there is nothing to undo.
SELECT 1;
