// Uploads of attachments: received, hashed, synced, inspected and recorded, beside a bare Bun.serve that writes the same bytes to a file.

import { atEnd } from "../kit/at-end.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { png } from "../kit/service/sample-files.ts";
import { benchService } from "./programs.ts";
import { figure, median, type Row } from "./row.ts";

const KIB = 1024;
const ROUNDS = 60;
const WARM_UP = 8;
/** The least program neither hashes nor syncs, keeps no record, and does not look at what it gets. */
const TIMES_MAX = 6;
const MILLISECONDS_MAX = 60;

export async function run(): Promise<Row[]> {
  await using service = await benchService();
  await using folder = await temporaryFolder();
  const { client, token } = service;
  const provider = await client.post("/providers", { name: "p", type: "anthropic" });
  const model = await client.post("/models", { provider_id: provider.id, model_name: "m" });
  const { id } = await client.post("/workspaces", { name: "w", orchestrator_model_id: model.id });
  const bare = Bun.spawn(
    [
      process.execPath,
      "-e",
      `let n = 0; const s = Bun.serve({ hostname: "127.0.0.1", port: 0, async fetch(r) { await Bun.write(${JSON.stringify(folder.path)} + "/" + n++, await r.bytes()); return Response.json({ n }); } }); console.log(s.port)`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await using _ = atEnd(() => bare.kill());
  const barePort = Number(new TextDecoder().decode((await bare.stdout.getReader().read()).value));
  const own = `http://127.0.0.1:${service.port}/api/v1/workspaces/${id}/attachments`;
  const headers = { Authorization: `Bearer ${token}` };
  const rows: Row[] = [];
  for (const [words, bytes] of [
    ["100 KB", 100 * KIB],
    ["3.5 MB", 3_500 * KIB],
  ] as const) {
    const limit = await middle(`http://127.0.0.1:${barePort}/`, bytes, {});
    const ours = await middle(own, bytes, headers);
    const most = Math.max(limit * TIMES_MAX, MILLISECONDS_MAX);
    const target = `≤ ${TIMES_MAX} × bare Bun.serve with a file, or ≤ ${MILLISECONDS_MAX} ms`;
    rows.push(figure(`upload of an image of ${words}`, ours, { limit, atMost: most, target }));
  }
  return rows;
}

/** Of different images, one after another. */
async function middle(url: string, bytes: number, headers: Record<string, string>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const body = Buffer.concat([png(100, 100, `${bytes} ${round}`), Buffer.alloc(bytes)]);
    const started = performance.now();
    const answer = await fetch(url, { method: "PUT", body, headers });
    await answer.text();
    if (!answer.ok) throw new Error(`upload: ${answer.status}`);
    if (round >= WARM_UP) times.push(performance.now() - started);
  }
  return median(times);
}
