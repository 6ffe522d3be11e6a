// A client's copy of a server's space, driven as the command line drives it, with a network that a test can cut.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client, networkTransport, type Transport } from "../../../src/context/client/client.ts";
import { runCycle, type CycleOptions } from "../../../src/context/replica/cycle.ts";
import { joinSpace } from "../../../src/context/replica/join.ts";
import { LocalCopy } from "../../../src/context/replica/local-copy.ts";
import type { SyncReport } from "../../../src/context/replica/report.ts";
import { ServerSpace } from "../../../src/context/replica/server-space.ts";
import { openReplicaState } from "../../../src/context/replica/state.ts";
import { systemClock, type Clock } from "../../../src/kit/clock.ts";
import { SPACE } from "./context-server.ts";

export interface Replica {
  readonly directory: string;
  /** The requests of the last cycle: method and path. */
  readonly requests: string[];
  /** `before`: called with the path of each request before it is sent. */
  sync(options?: Partial<CycleOptions>, before?: (path: string) => void): Promise<SyncReport>;
  join(): Promise<SyncReport>;
  write(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  read(path: string): string;
  /** Every file of the working tree with its text, sorted. */
  tree(): Record<string, string>;
}

interface ReplicaOptions {
  readonly directory: string;
  readonly url: string | (() => string);
  readonly token: string;
  readonly clock?: Clock;
  /** Wraps the network. */
  readonly through?: (transport: Transport) => Transport;
}

export function replica({ directory, url, token, clock = systemClock, through }: ReplicaOptions): Replica {
  const requests: string[] = [];
  const open = (before: (path: string) => void = () => {}): Client => {
    requests.length = 0;
    const network = networkTransport(typeof url === "string" ? url : url(), token);
    const counted: Transport = {
      ...network,
      send(method, path, sent) {
        before(path);
        requests.push(`${method} ${path.replace("/api/v1/spaces/team", "").replace(/\?.*/, "")}`);
        return network.send(method, path, sent);
      },
    };
    return new Client(through ? through(counted) : counted);
  };
  const place = (path: string) => join(directory, path);
  return {
    directory,
    requests,
    async join() {
      return (await joinSpace({ client: open(), space: SPACE, directory, clock })).report;
    },
    async sync(options = {}, before) {
      using state = await openReplicaState(directory, { clock });
      const server = new ServerSpace(open(before), SPACE);
      const local = new LocalCopy(directory, { clock });
      return await runCycle({ state, server, local, clock }, { direction: "both", ...options });
    },
    write(path, content) {
      mkdirSync(dirname(place(path)), { recursive: true });
      writeFileSync(place(path), content);
    },
    remove: (path) => rmSync(place(path), { recursive: true, force: true }),
    read: (path) => readFileSync(place(path), "utf8"),
    tree: () => treeOf(directory),
  };
}

/** A directory's files as text, without our own folders. */
export function treeOf(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^\.(?:cairn|sync)(?:\/|$)/.test(name) && lstatSync(join(directory, name)).isFile())
    .sort();
  return Object.fromEntries(
    files.map((name) => [name.normalize("NFC"), readFileSync(join(directory, name), "utf8")]),
  );
}

/** The changes of a report, without empty lists. */
export function changesOf(report: SyncReport): Record<string, unknown> {
  const { pulled, removed, pushed, withdrawn, merged, conflicts, held, refused, waiting } = report;
  const lists = { pulled, removed, pushed, withdrawn, merged, conflicts, held, refused, waiting };
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}
