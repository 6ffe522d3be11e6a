// The invariants of a service's database at every moment, also right after a crash, as SQL that finds what breaks it.
// Looks at a copy of the files, so that looking changes nothing.

import { lookAtCopy } from "./database-copy.ts";

/** Each finds rows that must not be; the title says what must be. */
const always: Record<string, string> = {
  "a turn that began has exactly one run of the orchestrator and one message": `
    SELECT t.id FROM turns t WHERE t.started_at IS NOT NULL AND (
      (SELECT count(*) FROM runs r WHERE r.turn_id = t.id AND r.parent_run_id IS NULL) <> 1 OR
      (SELECT count(*) FROM entries e WHERE e.turn_id = t.id AND e.kind = 'person') <> 1 OR t.blueprint_id IS NULL)`,
  "a turn that has not begun has nothing": `
    SELECT t.id FROM turns t WHERE t.started_at IS NULL AND EXISTS (SELECT 1 FROM runs r WHERE r.turn_id = t.id)`,
  "a run belongs to a turn that began": `
    SELECT r.id FROM runs r LEFT JOIN turns t ON t.id = r.turn_id WHERE t.started_at IS NULL`,
  "a worker's run has its call, begun, and exactly one task": `
    SELECT r.id FROM runs r LEFT JOIN tool_calls c ON c.call_id = r.parent_call_id AND c.run_id = r.parent_run_id
    WHERE r.parent_run_id IS NOT NULL AND (c.call_id IS NULL OR c.tool <> 'delegate' OR c.state = 'asked' OR
      (SELECT count(*) FROM entries e WHERE e.run_id = r.id AND e.kind = 'task') <> 1)`,
  "a result has its call, done": `
    SELECT e.id FROM entries e LEFT JOIN tool_calls c ON c.call_id = e.call_id
    WHERE e.kind = 'tool' AND (c.call_id IS NULL OR c.state <> 'done' OR c.run_id <> e.run_id)`,
  "a call that is done has exactly one result, another none": `
    SELECT c.call_id FROM tool_calls c
    WHERE (SELECT count(*) FROM entries e WHERE e.kind = 'tool' AND e.call_id = c.call_id) <> (c.state = 'done')`,
  "a call was asked for by what its agent said": `
    SELECT c.call_id FROM tool_calls c WHERE NOT EXISTS (
      SELECT 1 FROM entries e, json_each(e.calls) asked
      WHERE e.kind = 'agent' AND e.run_id = c.run_id AND json_extract(asked.value, '$.id') = c.call_id)`,
  "what an agent asked for is on record as a call": `
    SELECT e.id FROM entries e, json_each(e.calls) asked
    WHERE e.kind = 'agent' AND json_extract(asked.value, '$.id') NOT IN (SELECT call_id FROM tool_calls)`,
  "an agent that a tool created has the wire from its creator, or had it": `
    SELECT a.id FROM agents a WHERE a.orchestrator = 0 AND a.removed_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM wires w JOIN agents o ON o.id = w.from_agent_id AND o.orchestrator = 1 WHERE w.to_agent_id = a.id)`,
  "a wire joins two agents of its workspace": `
    SELECT w.id FROM wires w JOIN agents a ON a.id = w.from_agent_id JOIN agents b ON b.id = w.to_agent_id
    WHERE a.workspace_id <> w.workspace_id OR b.workspace_id <> w.workspace_id`,
  "a workspace has its orchestrator": `
    SELECT w.id FROM workspaces w WHERE NOT EXISTS (SELECT 1 FROM agents a WHERE a.workspace_id = w.id AND a.orchestrator = 1)`,
  "an agent that was created has exactly one call that did it, and the other way round": `
    SELECT coalesce(made.name, said.name) FROM
      (SELECT workspace_id, name, count(*) AS n FROM agents WHERE orchestrator = 0 GROUP BY 1, 2) made
      FULL JOIN (SELECT c.workspace_id, json_extract(c.arguments, '$.name') AS name, count(*) AS n
        FROM tool_calls c JOIN entries e ON e.call_id = c.call_id AND e.kind = 'tool' AND e.outcome = 'ok'
        WHERE c.tool = 'agent_create' GROUP BY 1, 2) said
      ON said.workspace_id = made.workspace_id AND said.name = made.name
    WHERE made.n IS NOT said.n`,
  "events are numbered without a gap": `
    SELECT workspace_id FROM events GROUP BY workspace_id HAVING max(id) - min(id) + 1 <> count(*)`,
  "a call and its result are told once each": `
    SELECT c.call_id FROM tool_calls c
    WHERE (SELECT count(*) FROM events e WHERE e.type = 'tool.call' AND json_extract(e.content, '$.data.call_id') = c.call_id) <> 1`,
  "a done turn has no open part": `
    SELECT t.id FROM turns t WHERE t.status = 'done' AND (
      EXISTS (SELECT 1 FROM tool_calls c WHERE c.turn_id = t.id AND c.state <> 'done') OR
      EXISTS (SELECT 1 FROM runs r WHERE r.turn_id = t.id AND r.status = 'running') OR
      EXISTS (SELECT 1 FROM calls m WHERE m.turn_id = t.id AND m.status = 'running'))`,
  "the audit ends where its anchor says": `
    SELECT h.seq FROM audit_head h WHERE h.seq <> (SELECT coalesce(max(seq), 0) FROM audit) OR
      (h.seq > 0 AND h.hash <> (SELECT hash FROM audit WHERE seq = h.seq))`,
};

/** After the service was stopped in good order, or has started again. */
const atRest: Record<string, string> = {
  "no turn, run or model call is open": `
    SELECT 'turn ' || id FROM turns WHERE status IN ('running', 'waiting')
    UNION ALL SELECT 'run ' || id FROM runs WHERE status = 'running'
    UNION ALL SELECT 'call ' || id FROM calls WHERE status = 'running'`,
};

/** Sentences about what is broken in the database of a service that is not running; empty when all is well. */
export function brokenInvariants(data: string, when: "crashed" | "at rest"): Promise<string[]> {
  return brokenRules(data, when === "crashed" ? always : { ...always, ...atRest });
}

/** The same for the storage alone: for data that people made, not only turns. */
export function brokenStorage(data: string): Promise<string[]> {
  return brokenRules(data, {});
}

function brokenRules(data: string, rules: Record<string, string>): Promise<string[]> {
  return lookAtCopy(data, (db) => {
    const ask = (sql: string) =>
      db
        .query(sql)
        .values()
        .map((row) => String(row[0]));
    const integrity = ask("PRAGMA integrity_check").filter((line) => line !== "ok");
    const foreign = ask("PRAGMA foreign_key_check").map((table) => `a foreign key of ${table} leads nowhere`);
    const broken = Object.entries(rules).flatMap(([title, sql]) => {
      const found = ask(sql);
      return found.length === 0 ? [] : [`${title}: not ${found.slice(0, 5).join(", ")}`];
    });
    return [...integrity, ...foreign, ...broken];
  });
}
