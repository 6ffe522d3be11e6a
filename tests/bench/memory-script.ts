// The script of the model in the memory benchmark: an answer of some length, in chunks.

import { say, type ScriptedModel } from "../kit/model/index.ts";

export function script(model: ScriptedModel): void {
  model.on("*", () => say("word ".repeat(400), { chunks: 100, everyMs: 5 }));
}
