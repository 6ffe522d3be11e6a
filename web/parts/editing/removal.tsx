// Deletes the selected wire or binding. There is no confirmation, because it can be undone: a toast offers that.

import { tell } from "../../kit/toast.tsx";
import { Undoable } from "../../kit/undoable.tsx";
import type { Here, Selection } from "../../state/here.ts";
import { nameOf } from "../../state/workspace-state.ts";
import type { Editing } from "./editing.ts";
import type { Step } from "./history.ts";

/** Resolves with whether it is gone. Grants ask for confirmation and cannot be undone. */
export async function removeSelected(here: Here, editing: Editing, selection: Selection): Promise<boolean> {
  const state = here.state();
  const { kind, id } = selection;
  if (kind === "wire") {
    const wire = state.wires.find((one) => one.id === id);
    if (!wire) return false;
    const { from_agent_id: from, to_agent_id: to } = wire;
    const words = `Wire from ${nameOf(state, from)} to ${nameOf(state, to)} deleted`;
    return offerUndo(editing, words, await editing.removeWire(from, to));
  }
  if (kind === "gear-binding") {
    const binding = state.gearBindings.find((one) => one.id === id);
    if (!binding) return false;
    const step = await editing.unbind("gear", binding.gear_id, binding.agent_id, binding.gear_name);
    return offerUndo(editing, `Gear ${binding.gear_name} unbound`, step);
  }
  if (kind === "instruction-binding") {
    const binding = state.instructionBindings.find((one) => one.id === id);
    if (!binding) return false;
    const step = await editing.unbind("instruction", binding.instruction_id, binding.agent_id, binding.name);
    return offerUndo(editing, `Instruction ${binding.name} unbound`, step);
  }
  return kind === "grant" ? editing.revoke(id) : false;
}

function offerUndo(editing: Editing, words: string, step: Step | undefined): boolean {
  if (step) tell(<Undoable words={words} onUndo={() => void editing.undo(step)} />);
  return step !== undefined;
}
