-- How many events a webhook missed because it was further behind than the log of events reaches. `secret` holds a sealed value from now on.
ALTER TABLE webhooks ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
-- What is under way or waits for its turn.
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, number) WHERE state = 'waiting';
