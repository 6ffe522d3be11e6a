// The tool that delegates work along a wire. An agent has it only if it has wires; the tool's list of agents is the permission.

import { Type } from "@sinclair/typebox";
import { closed, oneOf } from "../../kit/schema.ts";
import { parseArguments } from "../tools/arguments.ts";
import type { DelegateTool, ToolSource } from "../tools/tool.ts";

const DELEGATE = "delegate";

export const delegateTools: ToolSource = (scope) =>
  scope.targets.length === 0 ? [] : [delegateTool(scope.targets.map((target) => target.name))];

function delegateTool(names: string[]): DelegateTool {
  const parameters = closed({
    agent: oneOf(names),
    task: Type.String({ minLength: 1, description: "The whole task" }),
  });
  return {
    kind: "delegate",
    name: DELEGATE,
    description:
      "Gives a task to another agent and returns its answer. The agent sees only its own role and the task, so write a self-contained task. Several calls in one answer run in parallel.",
    parameters,
    prepare: (json) => parseArguments(parameters, json),
  };
}
