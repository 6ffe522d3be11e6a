-- The HTTP status with which a provider refused a call, so that the interface can say what helps.
ALTER TABLE calls ADD COLUMN http_status INTEGER;
