// The scripted model as a program: prints its address on the first line and serves until it
// is stopped. `--script demo` (default) or a module that exports `script(model)`.
//   bun tests/kit/model/main.ts [--port N] [--key KEY] [--script demo|FILE] [--pace MS]

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { demoScript } from "./demo.ts";
import { type ScriptedModel, startModel } from "./server.ts";

const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: {
    port: { type: "string", default: "0" },
    key: { type: "string" },
    script: { type: "string", default: "demo" },
    pace: { type: "string", default: "15" },
  },
});

const model = await startModel({
  port: Number(values.port),
  ...(values.key === undefined ? {} : { key: values.key }),
});
if (values.script === "demo") {
  demoScript(model, Number(values.pace));
} else {
  const file = (await import(pathToFileURL(resolve(values.script)).href)) as {
    script: (model: ScriptedModel) => void;
  };
  file.script(model);
}
console.log(model.url);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => void model.stop().then(() => process.exit(0)));
