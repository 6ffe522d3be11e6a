// Goal: waiting for a TXT record ends with the server, also while a resolver does not answer.

import { expect, test } from "bun:test";
import { DnsChallenge } from "../../src/context/certificates/dns-challenge.ts";
import type { TxtRecord } from "../../src/context/certificates/schema.ts";
import { within } from "../kit/within.ts";

test("a resolver that is silent does not hold up the stop", async () => {
  let kept: readonly TxtRecord[] = [];
  const asked = Promise.withResolvers<void>();
  const challenge = new DnsChallenge({
    provider: { put: async () => {}, remove: async () => {} },
    cache: { dnsRecords: () => kept, keepDnsRecords: async (records) => void (kept = records) },
    resolveTxt: () => {
      asked.resolve();
      return new Promise(() => {});
    },
    pollMs: 1,
  });
  const stopped = new AbortController();
  const proof = { domain: "example.org", token: "token", authorisation: "token.thumbprint" };
  const presented = challenge.present([proof], stopped.signal);
  await within("the authority is asked", asked.promise);
  stopped.abort();
  await presented;
  expect(kept.map(({ name }) => name)).toEqual(["_acme-challenge.example.org"]);
});
