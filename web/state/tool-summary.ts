// Summarises a tool call's arguments in one line. Pure; invalid JSON is shown as written.

import { objectOf } from "../kit/json.ts";

const CHARACTERS_MAX = 240;

/** The telling arguments of the service's own tools. Any other tool is a gear, and all its arguments are shown. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  delegate: ["agent", "task"],
  agent_create: ["name", "model"],
  agent_update: ["agent", "name", "model"],
  agent_remove: ["agent"],
  wire_create: ["from", "to"],
  wire_remove: ["from", "to"],
  gear_grant: ["gear", "agent"],
  gear_revoke: ["gear", "agent"],
  gear_forge: ["name", "description"],
  file_list: ["path"],
  file_read: ["path"],
  file_write: ["path"],
  instruction_read: ["name"],
  instruction_save: ["name"],
  memory_read: ["name"],
  memory_write: ["name"],
  memory_search: ["query"],
  context_bind: ["path", "agent"],
  context_unbind: ["path", "agent"],
  web_search: ["query"],
};

/** Of tools whose arguments say nothing. */
const FIXED: Readonly<Record<string, string>> = { memory_list: "shared/ and mine/" };

const BETWEEN: Readonly<Record<string, string>> = { wire_create: " → ", wire_remove: " → " };

export function summaryOf(tool: string, written: string): string {
  const values = objectOf(written);
  if (!values) return oneLine(written);
  if (FIXED[tool] !== undefined) return FIXED[tool];
  const telling = TELLING[tool];
  if (!telling) return Object.keys(values).length === 0 ? "" : oneLine(JSON.stringify(values));
  const told = telling
    .map((name) => values[name])
    .filter((value) => typeof value === "string" && value !== "");
  return oneLine(told.join(BETWEEN[tool] ?? " · "));
}

/** The path argument of a file tool. */
export function pathOf(tool: string, written: string): string | undefined {
  const path = /^file_(read|write)$/.test(tool) ? objectOf(written)?.["path"] : undefined;
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** The gear that a call creates or grants. */
export function gearNameOf(tool: string, written: string): string | undefined {
  const values = objectOf(written);
  const name =
    tool === "gear_forge" ? values?.["name"] : tool.startsWith("gear_") ? values?.["gear"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function oneLine(text: string): string {
  const line = text
    .slice(0, CHARACTERS_MAX * 2)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > CHARACTERS_MAX ? `${line.slice(0, CHARACTERS_MAX)}…` : line;
}
