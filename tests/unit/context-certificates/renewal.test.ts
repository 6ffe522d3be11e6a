// Goal: a certificate that is due when it arrives is not ordered again at once, whatever the authority or the clock does.

import { expect, test } from "bun:test";
import type { HeldCertificate } from "../../../src/context/certificates/held-certificate.ts";
import { Renewal } from "../../../src/context/certificates/renewal.ts";
import { NO_ORDERS } from "../../../src/context/certificates/schema.ts";
import { Background } from "../../../src/kit/concurrency/background.ts";
import { eventually } from "../../kit/eventually.ts";
import { DAY_MS, manualClock, MINUTE_MS } from "../../kit/manual-clock.ts";
import { silent } from "../../kit/silent.ts";

const DOMAINS = ["context.example.org"];

test("waits a minute after a certificate that is due already", async () => {
  const clock = manualClock();
  const due = (): HeldCertificate => ({
    pem: "",
    domains: DOMAINS,
    renewsAt: clock.now() - MINUTE_MS,
    expiresAt: clock.now() + DAY_MS,
  });
  let orders = 0;
  const renewal = new Renewal({
    domains: DOMAINS,
    cache: {
      state: () => NO_ORDERS,
      certificate: () => undefined,
      keepCertificate: async () => {},
      keepState: async () => {},
    },
    order: async () => {
      orders += 1;
      return due();
    },
    install: () => {},
    clock,
    timers: clock,
    log: silent,
    background: new Background(silent),
  });
  renewal.start();
  await eventually(() => clock.waits(), [MINUTE_MS]);
  expect(orders).toBe(1);
  clock.advance(MINUTE_MS);
  await eventually(() => [orders, ...clock.waits()], [2, MINUTE_MS]);
  await renewal.stop();
});
