-- Lists of the library read no texts: what they show is in indexes.
CREATE INDEX instructions_list ON instructions (name_key, name, version, author_id, author, created_at, updated_at);

CREATE INDEX instructions_facts ON instructions (id, name_key, name, version);

ALTER TABLE instruction_proposals ADD COLUMN characters INTEGER NOT NULL DEFAULT 0;

UPDATE instruction_proposals SET characters = length(text) WHERE status = 'pending';

DROP INDEX instruction_proposals_pending;

CREATE INDEX instruction_proposals_pending ON instruction_proposals (
  id, workspace_id, instruction_id, base_version, name, name_key, hash, agent, user_name, tainted, characters, created_at
) WHERE status = 'pending';

CREATE INDEX instruction_proposals_open ON instruction_proposals (workspace_id, hash, base_version) WHERE status = 'pending';
