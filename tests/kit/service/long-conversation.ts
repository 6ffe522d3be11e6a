// Makes a conversation long by writing turns straight into the database of a service that is not running, each as the service itself would
// have: its turn at the end of the branch, its run, the question, the answer. The workspace must have one whole turn already.

import type { Database } from "bun:sqlite";

const SENTENCE = "The quick brown fox jumps over the lazy dog, and does so again. ";

/** `count` turns, numbered from 1: `Question 7.` and `Answer 7.`, answers of several lengths. */
export function addTurns(db: Database, workspaceId: number, count: number): void {
  const turn = db.prepare<{ id: number }, [string, number, number]>(
    `INSERT INTO turns (workspace_id, number, status, text, user_id, user_name, auth, blueprint_id, created_at, started_at, finished_at, after_id)
     SELECT workspace_id, (SELECT number + 1 FROM turns WHERE id = ?2), status, ?1, user_id, user_name, auth, blueprint_id, created_at, started_at,
       finished_at, ?2
     FROM turns WHERE workspace_id = ?3 ORDER BY id LIMIT 1 RETURNING id`,
  );
  const run = db.prepare<{ id: number }, [number, number]>(
    `INSERT INTO runs (workspace_id, turn_id, agent_id, depth, status, created_at, finished_at)
     SELECT workspace_id, ?, agent_id, 0, 'done', created_at, finished_at
     FROM runs WHERE workspace_id = ? ORDER BY id LIMIT 1 RETURNING id`,
  );
  const entry = db.prepare(
    `INSERT INTO entries (workspace_id, turn_id, run_id, agent_id, thread, kind, text, created_at)
     SELECT workspace_id, ?, ?, agent_id, 0, ?, ?, created_at FROM entries WHERE workspace_id = ? ORDER BY id LIMIT 1`,
  );
  const tip = db.prepare<{ turn_id: number }, [number]>(
    "SELECT turn_id FROM branch_tips WHERE workspace_id = ?",
  );
  const setTip = db.prepare("UPDATE branch_tips SET turn_id = ? WHERE workspace_id = ?");
  db.transaction(() => {
    let last = tip.get(workspaceId)!.turn_id;
    for (let index = 1; index <= count; index++) {
      const question = `Question ${index}.`;
      const turnId = turn.get(question, last, workspaceId)!.id;
      last = turnId;
      const runId = run.get(turnId, workspaceId)!.id;
      entry.run(turnId, runId, "person", question, workspaceId);
      entry.run(turnId, runId, "agent", answer(index), workspaceId);
    }
    setTip.run(last, workspaceId);
  })();
  // A statement that is left over keeps the file in use.
  for (const statement of [turn, run, entry, tip, setTip]) statement.finalize();
}

function answer(index: number): string {
  const prose = SENTENCE.repeat(index % 9);
  const list = index % 5 === 0 ? "\n\n- one\n- **two**\n- `three`" : "";
  const code = index % 7 === 0 ? "\n\n```ts\nconst answer: number = 42;\nconsole.log(answer);\n```" : "";
  return `Answer ${index}. ${prose}${list}${code}`;
}
