// The tools that agents have whatever a test sets up.

/** The tools of every agent, in the order in which it is offered; `delegate` comes before them, and only along a wire. */
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

/** The tools of an orchestrator without workers. */
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
