// What a tool call is about, in one line, read from its arguments as the model wrote them. Pure; broken arguments are shown as they are.

const CHARACTERS_MAX = 240;

/** For the tools of the service, the arguments that say most; of everything else (gears) all of them. */
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
  memory_read: ["path"],
  memory_write: ["path"],
  memory_list: ["path"],
  memory_search: ["query"],
  context_bind: ["path", "agent"],
  context_unbind: ["path", "agent"],
  web_search: ["query"],
};

const BETWEEN: Readonly<Record<string, string>> = { wire_create: " → ", wire_remove: " → " };

export function summaryOf(tool: string, written: string): string {
  const values = objectOf(written);
  if (!values) return oneLine(written);
  const telling = TELLING[tool];
  if (!telling) return Object.keys(values).length === 0 ? "" : oneLine(JSON.stringify(values));
  const told = telling
    .map((name) => values[name])
    .filter((value) => typeof value === "string" && value !== "");
  return oneLine(told.join(BETWEEN[tool] ?? " · "));
}

/** With line breaks and indents; what is no JSON stays as it is. */
export function prettyArguments(written: string): string {
  try {
    return JSON.stringify(JSON.parse(written), null, 2);
  } catch {
    return written;
  }
}

/** The path that a file tool is about. */
export function pathOf(tool: string, written: string): string | undefined {
  const path = /^file_(read|write)$/.test(tool) ? objectOf(written)?.["path"] : undefined;
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** The name of the gear that a call makes or hands out. */
export function gearNameOf(tool: string, written: string): string | undefined {
  const values = objectOf(written);
  const name =
    tool === "gear_forge" ? values?.["name"] : tool.startsWith("gear_") ? values?.["gear"] : undefined;
  return typeof name === "string" ? name : undefined;
}

export function objectOf(written: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(written === "" ? "{}" : written);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function oneLine(text: string): string {
  const line = text
    .slice(0, CHARACTERS_MAX * 2)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > CHARACTERS_MAX ? `${line.slice(0, CHARACTERS_MAX)}…` : line;
}
