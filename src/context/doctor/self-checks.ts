// The checks that a running server makes of itself. `cairn doctor` checks more, for example whether the port is free before a start.

import { systemClock } from "../../kit/clock.ts";
import { configOf, configVerdict } from "./configuration.ts";
import * as data from "./data-checks.ts";
import { made, skipped, type Finding } from "./finding.ts";
import { clockSense, disk, permissions } from "./surroundings.ts";

export async function checkInside(directory: string): Promise<Finding[]> {
  // Nothing here copies a database, so nothing is written.
  const place = { directory, scratch: directory, clock: systemClock };
  const folders = data.listed(directory);
  return [
    await made("permissions", null, () => permissions(directory)),
    await made("disk", null, () => disk(directory)),
    await made("clock", null, async () => clockSense(systemClock.now(), await data.newest([], place))),
    await made("configuration", null, () => configVerdict(configOf(directory))),
    await made("bootstrap token", null, () => data.bootstrapToken(place)),
    await made("spaces", null, () => data.spacesVerdict(folders, directory)),
    ...(await lostDatabases(folders.spaces, directory)),
  ];
}

/** Empty unless a database is lost: the server has the others open. */
async function lostDatabases(spaces: readonly string[], directory: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const space of spaces) {
    const look = () => data.lostDatabaseVerdict(space, directory) ?? skipped("the server has it open");
    findings.push(await made("database", space, look));
  }
  return findings.filter(({ state }) => state === "fail");
}
