-- The history of the space that the announcement belongs to, since another space may get the name. Null: announced by an earlier build.
ALTER TABLE stale_documents ADD COLUMN epoch TEXT;
