// The parts of the service over a database of the test, without HTTP: for rules that no route reaches at the moment that counts.

import { systemClock } from "../../../src/kit/clock.ts";
import type { Db } from "../../../src/kit/storage/db.ts";
import { loadConfig } from "../../../src/service/config/config.ts";
import { buildParts, type Parts } from "../../../src/service/parts.ts";
import { silent } from "../silent.ts";

export function testParts(db: Db, more: Partial<Parameters<typeof buildParts>[0]> = {}): Parts {
  return buildParts({
    db,
    clock: systemClock,
    log: silent,
    ownListener: () => undefined,
    config: loadConfig({}, {}),
    environment: {},
    ...more,
  });
}
