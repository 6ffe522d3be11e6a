// The script of the model in the streaming benchmark: every model name streams chunks that carry the time at which they were sent.

import { stream, type ScriptedModel } from "../kit/model/index.ts";

export const CHUNKS = 300;
export const EVERY_MS = 20;

export function script(model: ScriptedModel): void {
  model.on("*", () => stream({ chunks: CHUNKS, everyMs: EVERY_MS, stamp: true }));
}
