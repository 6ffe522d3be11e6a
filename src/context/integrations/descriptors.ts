// The AI tools that Cairn can deliver into: where each looks for instructions, and what shows that it is used. Compiled in, never fetched.

import { AppError } from "../../kit/error.ts";
import agents from "../../../embed/integrations/agents.json" with { type: "json" };
import blockText from "../../../embed/integrations/block.md" with { type: "text" };
import claudeCode from "../../../embed/integrations/claude-code.json" with { type: "json" };
import copilot from "../../../embed/integrations/copilot.json" with { type: "json" };
import cursor from "../../../embed/integrations/cursor.json" with { type: "json" };
import gemini from "../../../embed/integrations/gemini.json" with { type: "json" };
import windsurf from "../../../embed/integrations/windsurf.json" with { type: "json" };

export interface Descriptor {
  readonly id: string;
  readonly tool: string;
  /** `session hook`: a command in the settings of the tool. Otherwise a block of text; in a `rules file` it stands alone. */
  readonly how: string;
  /** Relative to the project folder. */
  readonly target: string;
  /** Relative to the home directory: applies to every project. */
  readonly userTarget?: string;
  /** Files in the project that some of its tools read only if there is no target. */
  readonly hides?: readonly string[];
  /** A file of the project that this tool reads in place of the target beside it. */
  readonly override?: { readonly tool: string; readonly target: string };
  /** Begins a rules file that we create. */
  readonly preamble?: string;
  /** Any of these shows that the tool is used: names in the project or the home directory, programs on the PATH. */
  readonly detect: {
    readonly project: readonly string[];
    readonly home: readonly string[];
    readonly programs: readonly string[];
  };
}

export const SESSION_HOOK = "session hook";
/** The file that most tools read; used if no tool is detected. */
export const FALLBACK_ID = "agents";

const descriptors: readonly Descriptor[] = [claudeCode, cursor, windsurf, copilot, gemini, agents];

export const integrationIds: readonly string[] = descriptors.map(({ id }) => id);

/** Undefined: all. Raises `invalid` with every unknown id. */
export function descriptorsOf(ids: readonly string[] | undefined): readonly Descriptor[] {
  const unknown = ids?.filter((id) => !integrationIds.includes(id)) ?? [];
  if (unknown.length > 0)
    throw new AppError(
      "invalid",
      `unknown integration: ${unknown.join(", ")}; expected one of ${integrationIds.join(", ")}`,
    );
  return descriptors.filter(({ id }) => ids === undefined || ids.includes(id));
}

/** The text of the block, with what it names. */
export function blockOf(
  parts: Readonly<Record<"space" | "map" | "search" | "read" | "where", string>>,
): string {
  return blockText.replace(/\{\{(\w+)\}\}/g, (_, name: keyof typeof parts) => parts[name]);
}
