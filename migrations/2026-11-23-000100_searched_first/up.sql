-- Puts the columns that searches and filters by text read first in the rows of documents. PostgreSQL finds a
-- column by walking over all columns before it: counting the 600,000 invoices outside the trash took four
-- times as long as counting all of them, because `deleted_at` was the 29th column.
--
-- PostgreSQL cannot reorder columns, so each table is copied, with its constraints, indexes and fence. The
-- exclusive lock on it blocks readers and writers until the end of the migration.

CREATE FUNCTION pg_temp.arrange(arranged regclass, leading_columns text[]) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    table_name text := (SELECT relname FROM pg_class WHERE oid = arranged);
    before text := table_name || '_before';
    all_columns text;
    written_columns text;
    settings text[] := (SELECT reloptions FROM pg_class WHERE oid = arranged);
    constraints text[];
    indexes text[];
    statement text;
    rows_before bigint;
    rows_after bigint;
BEGIN
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = arranged)
        OR EXISTS (SELECT FROM pg_constraint WHERE confrelid = arranged OR conrelid = arranged AND contype = 'f')
    THEN
        RAISE EXCEPTION 'table % has triggers or foreign keys, which this migration does not know', table_name;
    END IF;

    SELECT
        string_agg(
            format('%I %s', attname, format_type(atttypid, atttypmod))
                || CASE WHEN attcollation <> 0 AND attcollation <> typcollation
                    THEN format(' COLLATE %s', attcollation::regcollation) ELSE '' END
                || CASE
                    WHEN attgenerated = 's'
                        THEN format(' GENERATED ALWAYS AS (%s) STORED', pg_get_expr(adbin, adrelid))
                    WHEN adbin IS NOT NULL THEN format(' DEFAULT %s', pg_get_expr(adbin, adrelid))
                    ELSE '' END
                || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END,
            ', ' ORDER BY array_position(leading_columns, attname::text), attnum),
        string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attgenerated = '')
    INTO all_columns, written_columns
    FROM pg_attribute
        JOIN pg_type ON pg_type.oid = atttypid
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid = arranged AND attnum > 0 AND NOT attisdropped;

    SELECT array_agg(format('ALTER TABLE %I ADD CONSTRAINT %I %s', table_name, conname, pg_get_constraintdef(oid)))
    INTO constraints FROM pg_constraint WHERE conrelid = arranged;
    SELECT array_agg(pg_get_indexdef(indexrelid))
    INTO indexes FROM pg_index
    WHERE indrelid = arranged AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid);

    -- The fence binds the owner, too. The lock keeps other transactions out while it is off.
    EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', arranged);
    EXECUTE format('ALTER TABLE %I RENAME TO %I', table_name, before);
    EXECUTE format('CREATE TABLE %I (%s)', table_name, all_columns);
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I ORDER BY tenant, id',
        table_name, written_columns, written_columns, before);
    EXECUTE format('SELECT count(*) FROM %I', before) INTO rows_before;
    EXECUTE format('SELECT count(*) FROM %I', table_name) INTO rows_after;
    IF rows_before <> rows_after THEN
        RAISE EXCEPTION 'table % had % rows and would have %', table_name, rows_before, rows_after;
    END IF;
    EXECUTE format('DROP TABLE %I', before);
    IF settings IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %I SET (%s)', table_name, array_to_string(settings, ', '));
    END IF;
    FOREACH statement IN ARRAY constraints || indexes LOOP
        EXECUTE statement;
    END LOOP;
    EXECUTE format('SELECT racun_fence(%L)', quote_ident(table_name));
END
$$;

SELECT pg_temp.arrange(documents::regclass, ARRAY[
    'tenant', 'id', 'deleted_at', 'created_at', 'search', 'number', 'note', 'reference', 'customer_name',
    'customer_email', 'customer_tax_number', 'customer_company_number', 'customer_city', 'business_unit_name',
    'issuer_name'])
FROM unnest(ARRAY['invoices', 'estimates', 'credit_notes', 'advance_invoices', 'delivery_notes']) AS documents;
