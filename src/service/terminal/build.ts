// Builds the terminal feature.

import type { Files } from "../files/files.ts";
import type { Ground } from "../ground.ts";
import type { Authentication } from "../people/authentication.ts";
import { DockerCommand } from "../sandbox/docker-client.ts";
import { DEFAULT_IMAGES } from "../sandbox/images.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Access } from "../workspaces/access.ts";
import { Shells } from "./shells.ts";
import { Terminals } from "./terminals.ts";

interface TerminalNeeds {
  readonly access: Access;
  readonly authentication: Authentication;
  readonly files: Files;
  readonly installation: string;
  readonly sandbox: Sandbox;
}

export function buildTerminals(ground: Ground, { installation, ...needs }: TerminalNeeds): Terminals {
  const { db, clock, log, config, environment, background, audit, journal } = ground;
  const shells = new Shells({
    docker: new DockerCommand(environment),
    image: config.sandboxImages.bash ?? DEFAULT_IMAGES.bash,
    installation,
    log,
  });
  const terminals = new Terminals({
    ...needs,
    db,
    audit,
    shells,
    background,
    clock,
    on: config.terminal,
  });
  journal.whenRightsChange(() => terminals.recheck());
  return terminals;
}
