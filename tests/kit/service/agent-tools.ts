// The tools that agents have whatever a test sets up.

/** What every agent has, in the order in which it is offered; `delegate` comes before them, and only along a wire. */
export const WORKER_TOOLS = [
  "file_list",
  "file_read",
  "file_write",
  "instruction_list",
  "instruction_read",
  "instruction_save",
  "gear_list",
  "gear_forge",
];

/** What an orchestrator without workers has. */
export const ORCHESTRATOR_TOOLS = [
  "agent_create",
  "agent_update",
  "agent_remove",
  "agent_list",
  "model_list",
  "wire_create",
  "wire_remove",
  ...WORKER_TOOLS,
  "gear_grant",
  "gear_revoke",
];
