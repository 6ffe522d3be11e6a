// The worst that a caller can ask of the routes that find something (service-rows.ts).

import { get, own, type ServiceCase } from "./service-asks.ts";

export const FINDING_ROWS: Readonly<Record<string, Readonly<Record<string, ServiceCase>>>> = {
  "GET /search": {
    "words that are frequent": get(() => "/search?q=the+quick+brown+fox+jumps+over+lazy+dog&limit=50"),
    "frequent words that never occur together": get(() => "/search?q=question+quick+brown&limit=50"),
    "beginnings of many words": get(() => "/search?q=an&limit=50"),
    "nothing but punctuation, and more than is read": get(() => `/search?q=${"%22(*".repeat(1_500)}`),
  },
  "GET /workspaces/{id}/files/find": {
    "a letter that is in every file": get(own("/files/find?q=e&limit=200")),
    "what is in none": get(own("/files/find?q=nothing-has-this")),
  },
  "GET /workspaces/{id}/turns/summaries": {
    "the newest of many": get(own("/turns/summaries?limit=500")),
    "of long messages": get(({ longId }) => `/workspaces/${longId}/turns/summaries?limit=500`),
    "none of many": get(own("/turns/summaries?text=nothing+has+this&status=done")),
  },
  "GET /workspaces/{id}/turns/export": { "many, as CSV": get(own("/turns/export?format=csv")) },
};
