// A scripted Cloudflare with one zone: the part of its API (v4) that manages TXT records. `await using` stops it.

import { selfSigned } from "../../../src/kit/secrets/self-signed.ts";

const HOST = "cloudflare.example";
const ZONE = "zone-1";

interface DnsRecord {
  readonly id: string;
  readonly name: string;
  /** Quoted, as in a zone file. */
  readonly content: string;
}

export function scriptedCloudflare(zone: string, token: string) {
  const own = selfSigned([HOST], { now: Date.now(), days: 1 });
  let records: DnsRecord[] = [];
  let most = 0;
  let count = 0;
  const refusal = (status: number, message: string) =>
    Response.json({ success: false, errors: [{ code: status, message }], result: null }, { status });
  const done = (result: unknown) => Response.json({ success: true, errors: [], result });
  const listener = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: own,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (request.headers.get("authorization") !== `Bearer ${token}`)
        return refusal(403, "Invalid access token");
      const [, zones, , kind, id] = pathname.slice("/client/v4".length).split("/");
      if (zones === "zones" && kind === undefined)
        return done(searchParams.get("name") === zone ? [{ id: ZONE }] : []);
      if (request.method === "GET")
        return done(records.filter(({ name }) => name === searchParams.get("name")));
      if (request.method === "DELETE") {
        records = records.filter((record) => record.id !== id);
        return done({ id });
      }
      const { name, content } = (await request.json()) as DnsRecord;
      records.push({ id: `record-${++count}`, name, content });
      most = Math.max(most, records.length);
      return done(records.at(-1));
    },
  });
  return {
    host: HOST,
    port: listener.port!,
    api: `https://${HOST}:${listener.port}/client/v4`,
    ca: own.cert,
    /** The names that have records now. */
    names: () => records.map(({ name }) => name),
    /** The most records at a time. */
    most: () => most,
    /** As a resolver answers. */
    txt: (name: string) =>
      records.filter((record) => record.name === name).map(({ content }) => content.slice(1, -1)),
    add: (name: string, value: string) =>
      void records.push({ id: `record-${++count}`, name, content: `"${value}"` }),
    [Symbol.asyncDispose]: () => listener.stop(true),
  };
}
