// `npm run check`: types, lint and form, all three also when one fails, each with its time. Warnings count as errors.

import { installDependencies } from "./install.ts";
import { bun, seconds, stream } from "./step.ts";

const checks = [
  { name: "types", command: bun("check", "--no-script") },
  { name: "types of the interface", command: bun("check", "--no-script", "-p", "web/tsconfig.json") },
  { name: "lint", command: bun("node_modules/oxlint/bin/oxlint", "--deny-warnings") },
  { name: "form", command: bun("fmt", "--check", "--no-script") },
];

await installDependencies();
let failures = 0;
for (const { name, command } of checks) {
  const started = performance.now();
  const exitCode = await stream(command);
  if (exitCode !== 0) failures++;
  console.log(`check: ${name} ${exitCode === 0 ? "ok" : "FAILED"}  ${seconds(started)}`);
}
process.exit(failures === 0 ? 0 : 1);
