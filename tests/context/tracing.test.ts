// Goal: with a collector configured, each request has one span that carries its request ID and no private name; a collector that fails costs no
// request.

import { expect, test } from "bun:test";
import { contextServer } from "../kit/context/context-server.ts";
import { hookReceiver } from "../kit/context/hook-receiver.ts";
import { until } from "../kit/eventually.ts";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: object;
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

type Collector = ReturnType<typeof hookReceiver>;

const addressOf = (collector: Collector) => `http://127.0.0.1:${new URL(collector.url()).port}`;
const tracedTo = (endpoint: string) => ({ config: { tracing: { otlp_endpoint: endpoint } } });
const documentsOf = ({ got }: Collector) => got.map(({ body }) => JSON.parse(body) as Exported);
const spansOf = (collector: Collector) =>
  documentsOf(collector).flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
const spanOf = (collector: Collector, requestId: string) =>
  spansOf(collector).filter(({ attributes }) => valuesOf(attributes)["request_id"] === requestId);

test("exports one span for each request, with its request ID and its declared route", async () => {
  await using collector = hookReceiver();
  await using server = await contextServer(tracedTo(addressOf(collector)));
  const before = Date.now();
  await server.admin.write("plan-secret.md", "x", { "X-Request-Id": "trace-1" });
  await fetch(`${server.url}/nowhere-secret`, { headers: { "X-Request-Id": "trace-2" } });
  await until(() => spanOf(collector, "trace-2").length > 0);
  const [written, ...more] = spanOf(collector, "trace-1");
  expect(more).toEqual([]);
  expect({ ...written!, attributes: valuesOf(written!.attributes) }).toEqual({
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    name: "PUT /api/v1/spaces/:space/files/*",
    kind: 2,
    startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    endTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    attributes: {
      request_id: "trace-1",
      "http.request.method": "PUT",
      "http.route": "/api/v1/spaces/:space/files/*",
      "http.response.status_code": "201",
    },
    status: {},
  });
  const [start, end] = [BigInt(written!.startTimeUnixNano), BigInt(written!.endTimeUnixNano)];
  expect(start).toBeGreaterThanOrEqual(BigInt(before - 1) * 1_000_000n);
  expect(end).toBeGreaterThan(start);
  expect(valuesOf(spanOf(collector, "trace-2")[0]!.attributes)).toEqual({
    request_id: "trace-2",
    "http.request.method": "GET",
    "http.response.status_code": "404",
  });
  const [{ path, headers, body }] = collector.got as [Collector["got"][number]];
  expect([path, headers.get("content-type")]).toEqual(["/v1/traces", "application/json"]);
  expect(body).not.toMatch(/secret|team/);
  expect(valuesOf(documentsOf(collector)[0]!.resourceSpans[0]!.resource.attributes)).toEqual({
    "service.name": "cairn",
    "service.version": expect.any(String),
  });
});

test("keeps the path of the collector, and sends the last spans at the stop", async () => {
  await using collector = hookReceiver();
  await using server = await contextServer(tracedTo(`${addressOf(collector)}/otel/v1/traces`));
  await server.admin.write("a.md", "x", { "X-Request-Id": "last" });
  await server.stop();
  expect(spanOf(collector, "last")).toHaveLength(1);
  expect([...new Set(collector.got.map(({ path }) => path))]).toEqual(["/otel/v1/traces"]);
});

test("says once that the collector fails, answers requests meanwhile, and says when it recovers", async () => {
  let status = 503;
  await using collector = hookReceiver(() => new Response(null, { status }));
  await using server = await contextServer(tracedTo(addressOf(collector)));
  const said = (event: string) => server.log.filter(({ message }) => message === event);
  const exported = async (requestId: string) => {
    await server.admin.write(`${requestId}.md`, "x", { "X-Request-Id": requestId });
    await until(() => spanOf(collector, requestId).length > 0);
  };
  await exported("first");
  await exported("second");
  await until(() => said("cannot export spans; dropping them").length > 0);
  expect(said("cannot export spans; dropping them")).toEqual([
    expect.objectContaining({
      endpoint: `${addressOf(collector)}/v1/traces`,
      error: "the collector answered 503",
    }),
  ]);
  status = 200;
  await exported("third");
  await until(() => said("exporting spans again").length > 0);
});

test("a collector that never answers does not hold up the stop", async () => {
  const never = Promise.withResolvers<Response>();
  await using collector = hookReceiver(() => never.promise);
  await using server = await contextServer(tracedTo(addressOf(collector)));
  await server.admin.write("a.md", "x");
  await until(() => collector.got.length > 0);
  await server.admin.write("b.md", "x");
  await server.stop();
  never.resolve(new Response());
  const said = server.log.map(({ message }) => message);
  expect(said).toContain("the trace collector did not answer before the stop");
  expect(collector.got).toHaveLength(1);
});
