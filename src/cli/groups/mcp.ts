// `cairn mcp`: lends the space to an AI tool over the Model Context Protocol, on standard input and output, until the tool closes them.

import { defineCommand } from "citty";
import { systemClock } from "../../kit/clock.ts";
import { hasTerminal, standardStreams, waitForStopSignal } from "../../kit/environment.ts";
import { createLog } from "../../kit/log.ts";
import { logWriter, printHint } from "../../kit/terminal/output.ts";
import { inWordsOfFlags, openSpace, spaceArgs } from "../connection.ts";

export const mcp = defineCommand({
  meta: {
    name: "mcp",
    description: "Serve a space to an AI tool over the Model Context Protocol (stdio)",
  },
  args: {
    write: {
      type: "boolean",
      description: "Add the tool put, which replaces only the version that the AI tool has read",
    },
    ...spaceArgs,
  },
  async run({ args }) {
    const log = createLog({ level: "warn", format: "text", clock: systemClock, write: logWriter() });
    const stop = waitForStopSignal();
    const [{ serveMcp }, { LentSpace }] = await Promise.all([
      import("../../context/mcp/protocol.ts"),
      import("../../context/space/lent.ts"),
    ]);
    // Chosen once: asking the server for its only space again would count against its rate limit.
    let name = args.space;
    const lent = new LentSpace(async () => {
      const space = await openSpace({ ...args, space: name }, log);
      name = space.name;
      return space;
    });
    if (hasTerminal())
      await printHint(
        "an AI tool talks to this command, not a person: cairn help mcp shows how to set one up; Ctrl+C ends it",
      );
    const use: typeof lent.use = async (work) => {
      try {
        return await lent.use(work);
      } catch (error) {
        throw inWordsOfFlags(error, args.server);
      }
    };
    try {
      await serveMcp({ use, writes: args.write === true, ...standardStreams(), log, stop });
    } finally {
      await lent.close();
    }
  },
});
