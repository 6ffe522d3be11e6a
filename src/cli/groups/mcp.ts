// `cairn mcp`: lends the space to an AI tool over the Model Context Protocol, on standard input and output, until the tool closes them.

import { defineCommand } from "citty";
import { systemClock } from "../../kit/clock.ts";
import { standardStreams, waitForStopSignal } from "../../kit/environment.ts";
import { createLog } from "../../kit/log.ts";
import { logWriter } from "../../kit/output.ts";
import { inWordsOfFlags, openSpace, spaceArgs } from "../connection.ts";

export const mcp = defineCommand({
  meta: {
    name: "mcp",
    description: "Serve a space to an AI tool over the Model Context Protocol (stdio)",
  },
  args: {
    write: { type: "boolean", description: "Add the tool put, which writes by compare-and-swap" },
    ...spaceArgs,
  },
  async run({ args }) {
    const log = createLog({ level: "warn", format: "text", clock: systemClock, write: logWriter() });
    const stop = waitForStopSignal();
    const [{ serveMcp }, { LentSpace }] = await Promise.all([
      import("../../context/mcp/protocol.ts"),
      import("../../context/space/lent.ts"),
    ]);
    const lent = new LentSpace(() => openSpace(args, log));
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
