-- A conversation is a tree of turns. `after_id`: the turn that this one follows; null: it begins the conversation, or has not started.
-- `is_placed`: its person chose after which turn it comes. `model_id`: the model that answers in place of the orchestrator's own.
ALTER TABLE turns ADD COLUMN after_id INTEGER;
ALTER TABLE turns ADD COLUMN is_placed INTEGER NOT NULL DEFAULT 0 CHECK (is_placed IN (0, 1));
ALTER TABLE turns ADD COLUMN model_id INTEGER;
UPDATE turns SET after_id =
  (SELECT max(t.id) FROM turns t WHERE t.workspace_id = turns.workspace_id AND t.id < turns.id AND t.started_at IS NOT NULL)
WHERE started_at IS NOT NULL;
CREATE INDEX turns_after ON turns (workspace_id, after_id) WHERE started_at IS NOT NULL;

-- The last turn of the current branch; null: the next turn begins the conversation.
CREATE TABLE branch_tips (
  workspace_id INTEGER PRIMARY KEY REFERENCES workspace_rows (id) ON DELETE CASCADE,
  turn_id INTEGER
) STRICT;
INSERT INTO branch_tips (workspace_id, turn_id)
  SELECT workspace_id, max(id) FROM turns WHERE started_at IS NOT NULL GROUP BY workspace_id;

-- Turns of other branches, whose entries are not replayed.
CREATE TABLE asides (
  turn_id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspace_rows (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX asides_workspace ON asides (workspace_id);
