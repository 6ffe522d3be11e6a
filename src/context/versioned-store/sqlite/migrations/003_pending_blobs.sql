-- Contents that were stored ahead of the batch that will use them (staging.ts). A crash leaves them behind; the next open finds them here.
CREATE INDEX blobs_pending ON blobs (id) WHERE uses = 0;
