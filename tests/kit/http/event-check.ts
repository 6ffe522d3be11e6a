// Compares events as viewers get them with the schemas of their data.

import { firstProblem } from "../../../src/kit/schema-problem.ts";
import { eventData, type EventType } from "../../../src/service/events.ts";
import type { StreamEvent } from "./client.ts";

/** One sentence for each event whose type is unknown or whose data is not as its schema says; empty when all fit. */
export function misfits(events: readonly StreamEvent[]): string[] {
  return events.flatMap(({ type, data }) => {
    const schema = eventData[type as EventType];
    if (schema === undefined) return [`${type}: unknown`];
    const problem = firstProblem(schema, data.data, { whole: "data" });
    return problem === undefined ? [] : [`${type}: ${problem} in ${JSON.stringify(data.data)}`];
  });
}
