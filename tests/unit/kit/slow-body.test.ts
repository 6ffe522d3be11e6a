// Goal: a body that trickles in is answered 408 and its connection closed; one that is stated too large for the moment, 503 with Retry-After.

import { expect, test } from "bun:test";
import { connect } from "node:net";
import { answerError, answerJson } from "../../../src/kit/http/answer.ts";
import { Bodies } from "../../../src/kit/http/bodies.ts";
import { readBytes } from "../../../src/kit/http/body.ts";
import { listen } from "../../../src/kit/http/serve.ts";
import { silent } from "../../kit/silent.ts";
import { SMALL_BOUNDS } from "../../kit/http/guarded-request.ts";
import { eventually } from "../../kit/eventually.ts";
import { atEnd } from "../../kit/at-end.ts";

const options = { host: "127.0.0.1", port: 0, loopbackAdmin: false, allowedHosts: [] };

function server(bodies: Bodies) {
  return listen(
    { ...options, bodies },
    async (request, { id }) => {
      try {
        return answerJson(id, 200, { length: (await readBytes(request, 1_000_000)).length });
      } catch (error) {
        return answerError(id, error, silent);
      }
    },
    silent,
  );
}

/** Sends the head, then a byte whenever the last one is gone, until the server closes. Resolves to its answer. */
function trickle(port: number, length: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    let received = "";
    const timer = setInterval(() => socket.write(length.startsWith("T") ? "1\r\na\r\n" : "a"), 20);
    const end = () => {
      clearInterval(timer);
      resolve(received);
    };
    socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
    socket.on("close", end);
    socket.on("error", (error) => (received === "" ? reject(error) : end()));
    socket.write(
      `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`,
    );
  });
}

test("refuses a body that trickles, short, long or without a stated length", async () => {
  const bodies = new Bodies({ ...SMALL_BOUNDS, memoryBytesMax: 500_000, memoryBytesPerCallerMax: 500_000 });
  const running = server(bodies);
  await using _ = atEnd(() => running.close());
  const lengths = ["Content-Length: 1000", "Content-Length: 300000", "Transfer-Encoding: chunked"];
  const answers = await Promise.all(lengths.map((length) => trickle(running.port, length)));
  for (const answer of answers) {
    expect(answer).toStartWith("HTTP/1.1 408 ");
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toInclude('"code":"slow_body"');
  }
  await eventually(() => bodies.memory.used, 0);
});

test("a body that goes away in the middle gives back what it held", async () => {
  const bodies = new Bodies({ ...SMALL_BOUNDS, graceMs: 60_000 });
  const running = server(bodies);
  await using _ = atEnd(() => running.close());
  const socket = connect({ host: "127.0.0.1", port: running.port });
  socket.write(
    `POST / HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\nabc`,
  );
  await eventually(() => bodies.memory.used, 60_000);
  const refused = await fetch(running.url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "x".repeat(1_000),
  });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  socket.destroy();
  await eventually(() => bodies.memory.used, 0);
});
