// `cairn init server`: creates a context server.

import { defineCommand } from "citty";
import { newServerDirectory } from "../../context/config/directory.ts";
import { templateNames } from "../../context/spaces/templates.ts";
import { oneOfWords } from "../../kit/arguments.ts";
import { processEnvironment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { listenProblem, PORT_MAX } from "../../kit/hosts.ts";
import { formatOf, printData, printWarning } from "../../kit/output.ts";

export const initServerCommand = defineCommand({
  meta: { name: "server", description: "Create a context server: directory, first space, first admin" },
  args: {
    "data-dir": {
      type: "string",
      valueHint: "dir",
      description: "Data directory (default: --server-dir, $SERVICE_SERVER_DIR, ~/.cairn/server)",
    },
    "server-dir": { type: "string", valueHint: "dir", description: "Alias of --data-dir" },
    address: {
      type: "string",
      valueHint: "address",
      description: "Address to listen on (default: 127.0.0.1)",
    },
    port: {
      type: "string",
      valueHint: "port",
      description: "Port to listen on; 0: a free one, which the server keeps (default: 8743)",
    },
    space: { type: "string", required: true, valueHint: "name", description: "Name of the first space" },
    admin: { type: "string", required: true, valueHint: "name", description: "Name of the first admin" },
    template: oneOfWords(templateNames, {
      type: "string",
      valueHint: "name",
      description: "Template of the space (default: team)",
    }),
    noui: { type: "boolean", description: "Do not open a set-up page in the browser" },
    "non-interactive": { type: "boolean", description: "Never prompt" },
  },
  async run({ args }) {
    const port = args.port === undefined ? undefined : portNumber(args.port);
    const problem = args.address === undefined ? undefined : listenProblem(args.address);
    if (problem !== undefined) throw new AppError("invalid", `--address "${args.address}": ${problem}`);
    const { initServer } = await import("../../context/init-server.ts");
    const made = await initServer(
      {
        directory: newServerDirectory(args["data-dir"] ?? args["server-dir"], processEnvironment()),
        address: args.address,
        port,
        space: args.space,
        admin: args.admin,
        template: args.template,
      },
      { format: "text", write: (line) => void printWarning(line.trimEnd()) },
    );
    await printData(made, formatOf(args), (server) =>
      [
        `created the server in ${server.directory}`,
        "",
        `token of ${server.admin}, shown once, valid for 24 hours:`,
        `  ${server.token}`,
        `also in ${server.token_file}: copy it, then delete that file`,
        "",
        "next:",
        `  cairn server start --server-dir ${server.directory}`,
        `  cairn auth token create ${server.admin} --server-dir ${server.directory}`,
      ].join("\n"),
    );
  },
});

function portNumber(text: string): number {
  if (!/^(0|[1-9][0-9]{0,4})$/.test(text) || Number(text) > PORT_MAX)
    throw new AppError("invalid", `--port "${text}": expected a number from 0 to ${PORT_MAX}`);
  return Number(text);
}
