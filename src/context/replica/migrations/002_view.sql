-- Changes with the person's rights on the server; null: not known yet, so the next cycle asks for all changes.
ALTER TABLE replica ADD COLUMN view TEXT;
