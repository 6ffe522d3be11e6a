// `cairn tui`: a full-screen terminal interface to the local space, or to a server.

import { defineCommand } from "citty";
import { systemClock } from "../../kit/clock.ts";
import { hasTerminal, processEnvironment, stdoutIsTerminal } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { createLog } from "../../kit/log.ts";
import type { OwnTerminal } from "../../kit/terminal/own-terminal.ts";
import type { App } from "../../context/tui/app.ts";
import type { Desk, Edited } from "../../context/tui/desk.ts";
import { connected, localDeps, spaceArgs } from "../connection.ts";
import { EditedFile, editorOf } from "../editing.ts";
import { spaceTarget } from "../target.ts";

const { space: _, ...args } = spaceArgs;

export const tui = defineCommand({
  meta: {
    name: "tui",
    description: "Browse a space or a server in a full-screen terminal interface",
  },
  args,
  async run({ args: given }) {
    requireScreen();
    const target = spaceTarget(given, processEnvironment());
    if (target.kind === "folder") await showFolder(target.directory);
    else await connected(given, showServer);
  },
});

/** Raises `invalid`. */
function requireScreen(): void {
  if (!hasTerminal() || !stdoutIsTerminal())
    throw new AppError("invalid", "no terminal: cairn tui is for people; scripts use the other commands");
  if (processEnvironment().TERM === "dumb")
    throw new AppError(
      "invalid",
      "the terminal (TERM=dumb) cannot show a full screen; use the other commands",
    );
}

async function showFolder(directory: string): Promise<void> {
  const [{ LentSpace }, { openLocalSpace }, { folderDesk }] = await Promise.all([
    import("../../context/space/lent.ts"),
    import("../../context/space/local.ts"),
    import("../../context/tui/desks.ts"),
  ]);
  await show((stage) => {
    const tell = (sentence: string) => stage.app?.tell(sentence);
    // A line on the screen would be overwritten, and overwrite.
    const log = createLog({ level: "warn", format: "text", clock: systemClock, write: tell });
    const onWait = () => tell(`another command is using ${directory}; waiting for it`);
    const lent = new LentSpace(() => openLocalSpace(directory, { ...localDeps(directory), log, onWait }));
    return { desk: folderDesk(lent, directory, editorOn(stage)), close: () => lent.close() };
  });
}

async function showServer(client: Parameters<Parameters<typeof connected>[1]>[0]): Promise<void> {
  const { serverDesk } = await import("../../context/tui/desks.ts");
  await show((stage) => ({ desk: serverDesk(client, editorOn(stage)), close: () => Promise.resolve() }));
}

/** The parts that need each other. */
interface OwnStage {
  readonly terminal: OwnTerminal;
  app?: App;
}

interface Opened {
  readonly desk: Desk;
  readonly close: () => Promise<void>;
}

/** Runs until the person quits. Raises what the desk raises at the start, and an error that ends the session. */
async function show(open: (stage: OwnStage) => Opened): Promise<void> {
  const [{ App }, { LEAVE }, { OwnTerminal }] = await Promise.all([
    import("../../context/tui/app.ts"),
    import("../../context/tui/screen.ts"),
    import("../../kit/terminal/own-terminal.ts"),
  ]);
  const stage: OwnStage = { terminal: new OwnTerminal() };
  const { desk, close } = open(stage);
  const over = Promise.withResolvers<unknown>();
  const app = new App({ desk, terminal: stage.terminal, onEnd: over.resolve });
  stage.app = app;
  try {
    stage.terminal.start(
      { input: (chunk) => app.feed(chunk), resized: () => app.resized(), ended: () => app.end() },
      LEAVE,
    );
    await app.start();
    const error = await over.promise;
    if (error !== undefined) throw error;
  } finally {
    app.end();
    stage.terminal.stop();
    await close();
  }
}

function editorOn(stage: OwnStage) {
  return {
    async edit(name: string, text: Uint8Array): Promise<Edited | undefined> {
      const environment = processEnvironment();
      const editor = editorOf(environment);
      const file = await EditedFile.create(name, text, environment);
      let isKept = true;
      try {
        const work = () => stage.terminal.lend(() => file.edit(editor, environment));
        const content = await stage.app!.suspend(work);
        if (content !== undefined) return { content, file: file.path, discard: () => file.discard() };
        isKept = false;
        return undefined;
      } catch (error) {
        isKept &&= await file.differs();
        throw error;
      } finally {
        if (!isKept) await file.discard();
      }
    },
  };
}
