// The flags that say where a command works. Apart from what they open, since the table of all commands needs them at every start.

import type { ArgsDef } from "citty";

/** Flags of commands for a local server. */
export const serverDirArg = {
  "server-dir": {
    type: "string",
    valueHint: "dir",
    description:
      "Data directory of a local server (default: $SERVICE_SERVER_DIR, then the standard directories)",
  },
} as const satisfies ArgsDef;

/** Flags of every command that talks to a server. */
export const connectionArgs = {
  server: {
    type: "string",
    valueHint: "url",
    description: "Address of a server (default: the server of the last sign-in)",
  },
  local: { type: "boolean", description: "Use this machine, not the server of the last sign-in" },
  ...serverDirArg,
  "token-file": {
    type: "string",
    valueHint: "file",
    description: "File with the access token for --server",
  },
} as const satisfies ArgsDef;

/** Flag of commands for a space in a folder. */
export const dirArg = {
  dir: {
    type: "string",
    valueHint: "dir",
    description: "Folder of a local space (default: $SERVICE_DIR, the space around you, ~/.cairn/space)",
  },
} as const satisfies ArgsDef;

/** Flags of every command about one space, in a folder or of a server. */
export const spaceArgs = {
  ...dirArg,
  space: {
    type: "string",
    valueHint: "name",
    description: "Space of a server (default: the only one)",
  },
  ...connectionArgs,
} as const satisfies ArgsDef;
