// Goal: an imported file takes no more room and time than its own size: its records refer to each other only as those of an export do.

import { createHash } from "node:crypto";
import { expect, test } from "bun:test";
import { ANSWER_CHARACTERS_MAX } from "../../../src/service/llm/answer.ts";
import { PART_CHARACTERS_MAX } from "../../../src/service/transfer/format.ts";
import { CHAT_CHARACTERS_MAX } from "../../../src/service/turns/schema.ts";
import { errorIn } from "../../kit/http/client.ts";
import { world } from "../../kit/service/world.ts";

const AT = "2026-01-01T00:00:00Z";
/** As an export cuts long texts. */
const CUT = 128 * 1024;

type Line = Record<string, unknown>;

const HEAD: readonly Line[] = [
  {
    type: "workspace",
    format: "cairn-workspace",
    version: 1,
    program: "test",
    exported_at: AT,
    name: "brought",
    display_name: null,
    description: "",
    budget: null,
    created_at: AT,
  },
  { type: "model", id: 1, provider: "p", name: "m", label: "m" },
  {
    type: "agent",
    id: 1,
    name: "orchestrator",
    role: "",
    model: 1,
    orchestrator: true,
    x: 0,
    y: 0,
    budget: null,
    created_at: AT,
    removed_at: null,
  },
];
const part = (content: string): Line => ({
  type: "part",
  id: 1,
  content: JSON.stringify({ kind: "role", source: "agent:1", text: content }),
});
const turn = (changes: Line = {}): Line => ({
  type: "turn",
  id: 1,
  number: 1,
  status: "done",
  text: "t",
  user: "u",
  error: null,
  truncated: false,
  tainted_at: null,
  created_at: AT,
  started_at: AT,
  finished_at: AT,
  after: null,
  placed: false,
  model: null,
  ...changes,
});
const run: Line = {
  type: "run",
  id: 1,
  turn: 1,
  agent: 1,
  parent: null,
  call: null,
  depth: 0,
  status: "done",
  created_at: AT,
  finished_at: AT,
};
const toolCall = (id: number, json: string): Line => ({
  type: "tool_call",
  id,
  run: 1,
  position: id,
  tool: "file_read",
  arguments: json,
  state: "done",
  started_at: AT,
  finished_at: AT,
});
const entry = (id: number, changes: Line = {}): Line => ({
  type: "entry",
  id,
  run: 1,
  kind: "agent",
  text: "x",
  reasoning: null,
  calls: [],
  call: null,
  tool: null,
  outcome: null,
  duration_ms: null,
  input_tokens: null,
  output_tokens: null,
  partial: false,
  truncated: null,
  dropped_calls: [],
  tainted: false,
  forgotten_at: null,
  created_at: AT,
  ...changes,
});
const call = (parts: string): Line => ({
  type: "call",
  run: 1,
  round: 1,
  model: "m",
  provider: "p",
  protocol: "openai-compatible",
  parts,
  settings: { may_call: true },
  status: "done",
  attempts: 1,
  finish: null,
  error: null,
  http_status: null,
  input_tokens: null,
  cached_input_tokens: null,
  output_tokens: null,
  cost_nano: null,
  started_at: AT,
  first_chunk_ms: null,
  duration_ms: null,
});

function* cutLines(record: Line): Generator<Line> {
  const long = Object.entries(record).filter(
    (field): field is [string, string] => typeof field[1] === "string" && field[1].length > CUT,
  );
  yield { ...record, ...Object.fromEntries(long.map(([field, text]) => [field, text.slice(0, CUT)])) };
  for (const [field, text] of long)
    for (let at = CUT; at < text.length; at += CUT)
      yield { type: "more", field, text: text.slice(at, at + CUT) };
}

function fileOf(records: readonly Line[]): string {
  const lines = [...HEAD, ...records, { type: "branch", turn: 1 }].flatMap((record) => [...cutLines(record)]);
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ type: "end", lines: lines.length, sha256 })}\n`;
}

const MANY = "a".repeat(700_000);
const REFUSED: readonly (readonly [name: string, records: readonly Line[], problem: string])[] = [
  [
    "an answer that makes one call many times",
    [turn(), run, toolCall(1, MANY), entry(1, { calls: Array.from({ length: 1_000 }, () => 1) })],
    "entry: call 1 is made twice",
  ],
  [
    "two answers that make the same call",
    [turn(), run, toolCall(1, "{}"), entry(1, { calls: [1] }), entry(2, { calls: [1] })],
    "entry: call 1 is made twice",
  ],
  [
    "an answer with more in its calls than a model may say",
    [turn(), run, toolCall(1, MANY), toolCall(2, MANY), entry(1, { calls: [1, 2] })],
    "entry: more than 1048576 characters with its calls",
  ],
  [
    "a message longer than one may be",
    [turn({ text: "a".repeat(CHAT_CHARACTERS_MAX + 1) }), run],
    `turn: text has more than ${CHAT_CHARACTERS_MAX} characters`,
  ],
  [
    "a prompt of more parts than may be named",
    [part("x"), turn(), run, call(Array.from({ length: 100_000 }, () => "p1").join(","))],
    "call: it names too many parts",
  ],
  [
    "a prompt that has a long part many times",
    [part(MANY), turn(), run, call("p1,p1,p1")],
    "call: it repeats the same parts too often",
  ],
  [
    "a part of a prompt longer than the server itself would store",
    [part("a".repeat(PART_CHARACTERS_MAX)), turn(), run, call("p1")],
    `line 4: content: at most ${PART_CHARACTERS_MAX} characters`,
  ],
  [
    "arguments of a call that no answer makes, longer than an answer may be",
    [turn(), run, toolCall(1, "a".repeat(ANSWER_CHARACTERS_MAX + 1))],
    `line 6: arguments: at most ${ANSWER_CHARACTERS_MAX} characters`,
  ],
];

test("refuses a file whose records repeat each other, and changes nothing", async () => {
  await using at = await world();
  const provider = await at.admin.post("/providers", {
    name: "p",
    type: "openai-compatible",
    base_url: "http://127.0.0.1:9/v1",
    api_key: "k",
  });
  await at.admin.post("/models", { provider_id: provider.id, model_name: "m" });
  const bring = (records: readonly Line[]) =>
    at.admin.raw("PUT", "/workspaces/import", {
      body: fileOf(records),
      headers: { "Content-Type": "application/x-ndjson" },
    });
  for (const [name, records, problem] of REFUSED) {
    const response = await bring(records);
    const error = errorIn(await response.text());
    expect({ name, status: response.status, message: error?.message }).toEqual({
      name,
      status: 400,
      message: problem,
    });
  }
  expect(await at.admin.get("/workspaces")).toEqual([]);
  const fine = await bring([
    part("a short part"),
    turn(),
    run,
    toolCall(1, "{}"),
    entry(1, { calls: [1] }),
    call("p1,e1,p1"),
  ]);
  expect(fine.status).toBe(201);
  await fine.text();
});
