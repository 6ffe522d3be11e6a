// The programs that `npm run demo` starts and ends: servers that say where they listen, and commands of the compiled `cairn`.

import { join } from "node:path";
import { ROOT } from "./step.ts";
import { nativeExtension } from "./targets.ts";

const START_DEADLINE_MS = 15_000;

export type Say = (line?: string) => void;

interface Running extends AsyncDisposable {
  readonly url: string;
}

export function program(name: "service" | "cairn"): string {
  return join(ROOT, "dist", `${name}${nativeExtension}`);
}

/** Starts a program and waits until it has said where it listens. Raises if it does not. */
export async function start(
  command: readonly string[],
  from: "stdout" | "stderr",
  environment: Record<string, string> = {},
): Promise<Running> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const overdue = setTimeout(() => child.kill("SIGKILL"), START_DEADLINE_MS);
  const found = Promise.withResolvers<string | undefined>();
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      const url = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(output)?.[0];
      if (url !== undefined) found.resolve(url);
    }
    found.resolve(undefined);
  };
  void read(from === "stdout" ? child.stdout : child.stderr);
  const url = await found.promise;
  clearTimeout(overdue);
  if (url === undefined) throw new Error(`${command[0]} did not start:\n${output}`);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

/** Runs a command of `cairn` and returns what it prints. Raises if it fails. */
export async function cairn(
  folder: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const child = Bun.spawn([program("cairn"), ...args], {
    cwd: folder,
    env: { ...process.env, HOME: join(folder, "home"), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`cairn ${args.join(" ")}: exit code ${code}\n${stderr}`);
  return stdout.trim();
}

/** Creates a context server in the folder `server` and starts it. Its space is `team`, its admin `ada`. */
export async function contextServer(folder: string): Promise<Running & { readonly at: readonly string[] }> {
  const at = ["--server-dir", join(folder, "server")];
  const init = ["init", "server", "--noui", "--non-interactive", ...at, "--port", "0"];
  await cairn(folder, [...init, "--space", "team", "--admin", "ada"]);
  const running = await start([program("cairn"), "server", "start", ...at], "stderr", {
    HOME: join(folder, "home"),
  });
  return { ...running, at };
}

/** Creates a token of the context server's admin. */
export async function adminToken(folder: string, at: readonly string[], label: string): Promise<string> {
  const printed = await cairn(folder, ["auth", "token", "create", "ada", "--label", label, ...at, "--json"]);
  return (JSON.parse(printed) as { token: string }).token;
}
