// Writes from a process of its own: each connection has files of its own and writes the next version, or the next new file, when the last
// was acknowledged.
//   bun tests/bench/context-load.ts <url> <token> <connections> <milliseconds> versions|files   → one JSON line: { rate, p50, p99, failures } (1/s, ms)

import { percentile } from "./row.ts";

const BODY_BYTES = 2048;

const [url, token, connections, milliseconds, what] = process.argv.slice(2) as string[];
const endAt = performance.now() + Number(milliseconds);
const latencies: number[] = [];
let failures = 0;

async function writer(index: number): Promise<void> {
  const place = `${url}/api/v1/spaces/team/files/bench/${process.pid}-${index}`;
  for (let count = 0; performance.now() < endAt; count++) {
    const version = what === "files" ? 0 : count;
    const body = `${index} ${count} `.padEnd(BODY_BYTES, "word ");
    const expected = version === 0 ? { "If-None-Match": "*" } : { "If-Match": `"${version}"` };
    const sentAt = performance.now();
    const response = await fetch(what === "files" ? `${place}/${count}.md` : `${place}.md`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${token}`, ...(expected as Record<string, string>) },
      body,
    });
    await response.arrayBuffer();
    latencies.push(performance.now() - sentAt);
    if (!response.ok) failures += 1;
  }
}

const started = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, (_, index) => writer(index)));
const seconds = (performance.now() - started) / 1000;
latencies.sort((a, b) => a - b);
console.log(
  JSON.stringify({
    rate: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    failures,
  }),
);
