// After `cairn init`: connects the AI tools of this user to the new space, and keeps a client in sync in the background. The space stays if one of
// them fails; the report says why, and the command that tries again.

import { commandText } from "../../kit/terminal/command-text.ts";
import { AppError } from "../../kit/error.ts";
import type { Answers } from "../init/answers.ts";
import { shown } from "../tables.ts";
import type { Done } from "./plugin.ts";

interface Wired {
  readonly tools: readonly Done[];
  /** The service definition that was written; null: none. */
  readonly daemon: {
    readonly path: string;
    readonly started: boolean;
    readonly problem: string | null;
  } | null;
  readonly problems: readonly string[];
}

export async function wire(
  directory: string,
  { tools = [], daemon }: Pick<Answers, "tools" | "daemon">,
): Promise<Wired> {
  const problems: string[] = [];
  const attempt = async <T>(again: readonly string[], work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problems.push(
        `${error.message}; to try again: ${commandText(["cairn", ...again, "--dir", directory])}`,
      );
      return undefined;
    }
  };
  const done: Done[] = [];
  for (const id of tools) {
    const told = await attempt(["plugin", "install", id, "--user"], async () => {
      const { installForUser } = await import("./plugin.ts");
      return installForUser([id], directory);
    });
    done.push(...(told ?? []));
  }
  const installed =
    daemon === true
      ? await attempt(["daemon", "install"], async () => {
          const { installDaemon } = await import("./daemon.ts");
          return installDaemon({ dir: directory });
        })
      : undefined;
  return { tools: done, daemon: installed ?? null, problems };
}

/** `directory`: the folder that was wired. */
export function wiredLines({
  directory,
  tools,
  daemon,
  problems,
}: Wired & { readonly directory: string }): string[] {
  const lines = tools.map(({ tool, target }) => `connected ${tool}: ${shown(target)}`);
  if (daemon)
    lines.push(
      daemon.started
        ? "the daemon keeps the folder in sync"
        : `the daemon starts at the next sign-in (${daemon.problem}), or now with ${commandText(["cairn", "daemon", "start", "--dir", directory])}`,
    );
  return [...lines, ...problems];
}
