// Goal: gears that run as child processes end with the service, also when it is killed and can do nothing about it any more.

import { expect, test } from "bun:test";
import { approvedGear, childrenIn, DAEMONS, withPrograms } from "../kit/service/gears.ts";
import { runService } from "../kit/service/running.ts";
import { until } from "../kit/eventually.ts";

const posix = test.skipIf(process.platform === "win32");
const GEARS = 3;
/** Elsewhere a process that leaves the gear's group is not found. */
const LEAVES_GROUP = process.platform === "linux";
const CHILDREN = LEAVES_GROUP ? 6 : 3;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A killed process is there until its parent, by now init, has taken note. */
async function isOver(pid: number): Promise<boolean> {
  const state = await Bun.file(`/proc/${pid}/stat`)
    .text()
    .catch(() => "");
  return state === "" || state.includes(") Z ");
}

posix("SIGKILL of the service kills its gears, their children, and daemons that these started", async () => {
  await using service = await runService({ environment: withPrograms.environment });
  const code = [
    ...(LEAVES_GROUP ? [DAEMONS] : []),
    "sleep 600 & (sleep 600 & echo child $!); echo child $!; echo child $$; wait",
  ].join("\n");
  const gear = await approvedGear(service.admin, { code });
  // One that has ended before: its number may be anybody's by then.
  const short = await approvedGear(service.admin, { name: "short", code: "echo $$" });
  await service.admin.post(`/gears/${short.id}/run`, {});
  const runs = Array.from({ length: GEARS }, () =>
    service.admin.events(`/gears/${gear.id}/run?stream=1`, { method: "POST", body: {} }),
  );
  const pids: number[] = [];
  for (const reader of await Promise.all(runs)) {
    let text = "";
    await reader.until(({ type, data }) => {
      if (type === "output") text += (data as { text: string }).text;
      return childrenIn(text).length === CHILDREN && text.endsWith("\n");
    });
    pids.push(...childrenIn(text));
  }
  expect(pids.filter(isAlive)).toHaveLength(CHILDREN * GEARS);
  await service.end("SIGKILL");
  for (const pid of pids) await until(() => isOver(pid));
});
