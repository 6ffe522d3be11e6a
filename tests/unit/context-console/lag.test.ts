// Goal: the lag of a webhook names one event as one.

import { expect, test } from "bun:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { WebhooksBody } from "../../../src/context/console/pages/webhooks.tsx";
import type { HookState } from "../../../src/context/webhooks/schema.ts";

const hook = (lag: number): HookState => ({
  id: 1,
  url: "https://hooks.test/",
  events: ["*"],
  spaces: null,
  enabled: true,
  problem: null,
  dropped: 0,
  created_by: "root",
  created_at: "2026-11-22T16:05:09Z",
  lag,
  last: null,
});

test.each([
  [0, "none"],
  [1, "1 event"],
  [2_500, "2,500 events"],
])("a lag of %p is %p", (lag, shown) => {
  const page = renderToString(h(WebhooksBody, { hooks: [hook(lag)], group: undefined }));
  expect(/data-label="Lag:">([^<]*)</.exec(page)?.[1]).toBe(shown);
});
