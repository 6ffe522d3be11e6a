// The server of a directory, as the commands `cairn server …` find and name it.

import type { Door, DoorState } from "../../context/people/local-door.ts";
import { nextCommand } from "../next-command.ts";

type Alive = Extract<DoorState, { kind: "running" | "starting" }>;

export function isAlive(state: DoorState): state is Alive {
  return state.kind === "running" || state.kind === "starting";
}

export function aliveText({ kind, door }: Alive): string {
  return kind === "running"
    ? `the server is already running (process ${door.pid}, ${shownUrl(door)})`
    : `the server is starting (process ${door.pid}); try again shortly`;
}

export function shownUrl({ url, public_url = url }: Pick<Door, "url" | "public_url">): string {
  return public_url;
}

/** `args`: of the command, for the hint. */
export function notRunning(args: Readonly<Record<string, unknown>>): string {
  return `the server is not running; start it with ${nextCommand(["server", "start"], [], args)}`;
}
