// Builds the gears feature: gears with their approval, bindings and runs.

import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Files } from "../files/files.ts";
import type { Ground } from "../ground.ts";
import type { Authentication } from "../people/authentication.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Access } from "../workspaces/access.ts";
import { ArgsChecks } from "./args-checks.ts";
import { Announcements } from "./announcements.ts";
import { bindingStore } from "./binding-store.ts";
import { GearBindings } from "./bindings.ts";
import { Gears } from "./gears.ts";
import { runStore } from "./run-store.ts";
import { RunViewers } from "./run-viewers.ts";
import { GearRuns } from "./runs.ts";
import { gearStore } from "./store.ts";
import { gearTools } from "./tools.ts";

interface GearNeeds {
  readonly access: Access;
  readonly authentication: Authentication;
  readonly blueprint: Blueprint;
  readonly files: Files;
  readonly sandbox: Sandbox;
}

export function buildGears(ground: Ground, { access, authentication, blueprint, files, sandbox }: GearNeeds) {
  const { db, clock, log, audit, journal, workers } = ground;
  const store = gearStore(db);
  const bindings = bindingStore(db);
  const isolation = sandbox;
  const announcements = new Announcements({ bindings, journal, isolation });
  const argsChecks = new ArgsChecks(workers);
  const gears = new Gears({
    db,
    store,
    args: argsChecks,
    bindings,
    access,
    announcements,
    audit,
    clock,
    isolation,
  });
  const gearBindings = new GearBindings({
    db,
    store: bindings,
    gears,
    access,
    blueprint,
    journal,
    audit,
    clock,
  });
  const gearRuns = new GearRuns({
    db,
    store: runStore(db),
    gearStore: store,
    gears,
    argsChecks,
    bindings: gearBindings,
    access,
    audit,
    clock,
    sandbox,
    readWorkspaceFile: files.readWorkspaceFile.bind(files),
  });
  const tools = gearTools({
    gears,
    argsChecks,
    bindings: gearBindings,
    runs: gearRuns,
    blueprint,
    isolation,
  });
  const runViewers = new RunViewers({ access, authentication, journal, log });
  return { gears, gearBindings, gearRuns, runViewers, gearTools: tools };
}
