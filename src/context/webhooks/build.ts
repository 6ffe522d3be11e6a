// Builds webhooks: their secrets, their owners' rights, deliveries and the rules for admins.

import { join } from "node:path";
import { SYSTEM_NETWORK, type Network } from "../../kit/network/outbound.ts";
import { SecretBox } from "../../kit/secrets/secret-box.ts";
import { secretsKeyPath } from "../config/directory.ts";
import type { ServerConfig } from "../config/schema.ts";
import type { Ground } from "../ground.ts";
import type { Authentication } from "../people/authentication.ts";
import type { Changes } from "../people/changes.ts";
import { DeadLetterFile } from "./dead-letter.ts";
import { Deliveries, RETRY_WAITS_MS } from "./delivery.ts";
import { HookOwners } from "./owners.ts";
import { HookSecrets } from "./secrets.ts";
import { Sender } from "./sender.ts";
import { webhookStore } from "./store.ts";
import { Webhooks } from "./webhooks.ts";

export interface OutboundOptions {
  readonly network: Network;
  readonly waitsMs: readonly number[];
}

/** The port that this server listens on; until it does, the configured port. */
export interface OwnListener {
  port: number;
  /** Of a listener for this machine only. */
  localPort?: number | undefined;
}

export function ownPorts({ port, localPort }: OwnListener): readonly number[] {
  return localPort === undefined ? [port] : [port, localPort];
}

interface WebhookNeeds {
  readonly authentication: Authentication;
  readonly changes: Changes;
  readonly spaceExists: (name: string) => boolean;
  /** Tests pass another network and other retry delays. */
  readonly outbound: OutboundOptions | undefined;
}

export function buildWebhooks(
  { db, clock, log, config, events }: Ground,
  { authentication, changes, spaceExists, outbound }: WebhookNeeds,
) {
  const store = webhookStore(db);
  const deadLetters = new DeadLetterFile(join(config.directory, "webhooks", "dead-letter.jsonl"));
  const listener: OwnListener = { port: config.listen.port };
  const network = { ...(outbound?.network ?? networkFor(config)), ownPorts: () => ownPorts(listener) };
  const secrets = new HookSecrets(new SecretBox(secretsKeyPath(config)));
  const owners = new HookOwners(authentication);
  const shared = { store, events, clock, deadLetters };
  const deliveries = new Deliveries({
    ...shared,
    db,
    log,
    sender: new Sender(network, (hook) => secrets.open(hook)),
    waitsMs: outbound?.waitsMs ?? RETRY_WAITS_MS,
    maySee: (hook, event) => owners.maySee(hook, event),
  });
  const webhooks = new Webhooks({
    ...shared,
    changes,
    deliveries,
    secrets,
    network,
    spaceExists,
    owners,
  });
  return { listener, deliveries, webhooks };
}

function networkFor({ privateWebhooks }: ServerConfig): Network {
  return privateWebhooks ? { ...SYSTEM_NETWORK, allow: () => true, ownNames: true } : SYSTEM_NETWORK;
}
