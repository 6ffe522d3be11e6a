// A log that nobody reads.

import type { Log } from "../../src/kit/log.ts";

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
