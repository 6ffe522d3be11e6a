// The headers that operations read, as parameters of the API description. A route lists its own under `parameters` of its `detail`.

interface HeaderParameter {
  readonly name: string;
  readonly in: "header";
  readonly required: false;
  readonly description: string;
  readonly schema: {
    readonly type: "string" | "integer";
    readonly enum?: string[];
    readonly minimum?: number;
    readonly maximum?: number;
  };
}

export function header(
  name: string,
  description: string,
  schema: HeaderParameter["schema"] = { type: "string" },
): HeaderParameter {
  return { name, in: "header", required: false, description, schema };
}

export const IF_MATCH = header(
  "If-Match",
  "the version that was read, in double quotes; if it is no longer the current one, the answer is 412",
);
export const CREATE_ONLY = header(
  "If-None-Match",
  "`*` creates; if there is one already, the answer is 412",
  {
    type: "string",
    enum: ["*"],
  },
);
export const IF_CHANGED = header(
  "If-None-Match",
  "the ETag of an earlier answer; if it is still the current one, the answer is 304",
);
/** For operations that stream events, and resume. */
export const LAST_EVENT_ID = header(
  "Last-Event-ID",
  "the ID of the last event that was received; takes precedence over `after`",
  { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
);
