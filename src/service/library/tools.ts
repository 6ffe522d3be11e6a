// Every agent's library tools: list, read and propose. A proposal changes nothing until a person approves it.

import { Type } from "@sinclair/typebox";
import { AppError } from "../../kit/error.ts";
import { closed } from "../../kit/schema.ts";
import { plural } from "../../kit/text/amounts.ts";
import { databaseTool, ok, type DatabaseTool, type ToolSource } from "../tools/tool.ts";
import type { Instructions } from "./instructions.ts";
import type { Proposals } from "./proposals.ts";
import { INSTRUCTION_CHARACTERS_MAX } from "./schema.ts";

const SHOWN_MAX = 300;

const NoInput = closed({});
const ReadInput = closed({
  name: Type.String({ description: "Name of an instruction, as instruction_list shows it" }),
});
const SaveInput = closed({
  name: Type.String({ description: "Name of the instruction, new or existing" }),
  text: Type.String({ maxLength: INSTRUCTION_CHARACTERS_MAX, description: "Its whole text" }),
});

export function libraryTools(instructions: Instructions, proposals: Proposals): ToolSource {
  const tools = [listTool(instructions), readTool(instructions), saveTool(proposals)];
  return () => tools;
}

function listTool(instructions: Instructions): DatabaseTool {
  return databaseTool({
    name: "instruction_list",
    description:
      "Lists the instructions in the library: reusable texts that tell agents how to work. Those bound to you are already in your prompt.",
    parameters: NoInput,
    apply: (scope) => {
      const { count } = instructions;
      if (count === 0) return ok("The library is empty.");
      const mine = new Set(
        instructions
          .bindingsOf(scope.workspaceId)
          .filter((each) => each.agent_id === null || each.agent_id === scope.agentId)
          .map((each) => each.instruction_id),
      );
      const lines = instructions
        .first(SHOWN_MAX)
        .map((each) => `${each.name} (version ${each.version}${mine.has(each.id) ? ", bound to you" : ""})`);
      if (count > lines.length)
        lines.push(
          `(${plural(count - lines.length, "more is", "more are")} not shown; instruction_read finds them by name.)`,
        );
      return ok(lines.join("\n"));
    },
  });
}

function readTool(instructions: Instructions): DatabaseTool {
  return databaseTool({
    name: "instruction_read",
    description: "Reads an instruction of the library.",
    parameters: ReadInput,
    apply: (_scope, input) => {
      const found = instructions.byName(input.name);
      if (!found)
        throw new AppError(
          "not_found",
          `there is no instruction named "${input.name}"; instruction_list lists them`,
        );
      return ok(found.text);
    },
  });
}

function saveTool(proposals: Proposals): DatabaseTool {
  return databaseTool({
    name: "instruction_save",
    description:
      "Proposes a new instruction for the library, or a new text for an existing one. A person decides; until then nothing changes.",
    parameters: SaveInput,
    apply: (scope, input) => {
      const proposal = proposals.proposeIn(scope, input.name, input.text);
      const what =
        proposal.base_version === null
          ? "as a new instruction"
          : `in place of version ${proposal.base_version}`;
      return ok(
        `Proposed "${proposal.name}" ${what}. It takes effect once a person approves it. Continue without it.`,
      );
    },
  });
}
