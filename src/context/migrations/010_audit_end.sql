-- 1: the server stopped after the anchored record, so that nothing may follow it in the file. 0: it runs, or was killed.
ALTER TABLE audit_anchor ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;
