// Load from a process of its own: connections that each send the next request when the answer is there (keep-alive, no pipelining).
// Plain sockets, since an HTTP client would be slower than the servers that are measured.
//   bun tests/bench/load.ts <port> <path> <connections> <milliseconds> [header: value]…   → one JSON line: { rate, p50, p99 } (1/s, ms)

import { connect } from "bun";

const HEADER_END = "\r\n\r\n";

interface Connection {
  sentAt: number;
  /** Bytes of the current answer that are still to come; -1: its header has not been read. */
  missing: number;
}

const [port, path, connections, milliseconds, ...headers] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
];
const request = Buffer.from(
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`,
);
const latencies: number[] = [];
const endAt = performance.now() + Number(milliseconds);
let failures = 0;

async function run(): Promise<void> {
  const started = performance.now();
  const done = Array.from({ length: Number(connections) }, () => oneConnection());
  await Promise.all(done);
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  console.log(JSON.stringify({ rate: latencies.length / seconds, p50: at(0.5), p99: at(0.99), failures }));
}

function oneConnection(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  void connect<Connection>({
    hostname: "127.0.0.1",
    port: Number(port),
    data: { sentAt: 0, missing: -1 },
    socket: {
      open: (socket) => send(socket),
      data: (socket, chunk) => receive(socket, chunk),
      close: () => resolve(),
      error: () => resolve(),
    },
  });
  return promise;
}

function send(socket: Bun.Socket<Connection>): void {
  socket.data.sentAt = performance.now();
  socket.data.missing = -1;
  socket.write(request);
}

function receive(socket: Bun.Socket<Connection>, chunk: Buffer): void {
  let rest = chunk.byteLength;
  if (socket.data.missing < 0) {
    const head = chunk.toString("latin1", 0, Math.min(rest, 2048));
    const end = head.indexOf(HEADER_END);
    if (end < 0) return;
    if (!head.startsWith("HTTP/1.1 200")) failures += 1;
    socket.data.missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    rest -= end + HEADER_END.length;
  }
  socket.data.missing -= rest;
  if (socket.data.missing > 0) return;
  const now = performance.now();
  latencies.push(now - socket.data.sentAt);
  if (now < endAt) send(socket);
  else socket.end();
}

await run();
