// The last step of `npm run demo`: two laptops share a space of a context server, with the compiled `cairn`. Both edit the same line, which opens a
// conflict; one of them resolves it, and both end with the same text.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT, fail } from "./step.ts";
import { nativeExtension } from "./targets.ts";

const START_DEADLINE_MS = 15_000;
const PAGE = "decisions.md";

interface Laptop {
  readonly name: string;
  readonly directory: string;
  readonly token: string;
}

/** `say` prints a line. Ends the program if a command fails. */
export async function demonstrateSync(folder: string, say: (line: string) => void): Promise<void> {
  const program = join(ROOT, "dist", `cairn${nativeExtension}`);
  const home = join(folder, "home");
  const server = join(folder, "server");
  const run = async (args: readonly string[], token?: string): Promise<string> => {
    const child = Bun.spawn([program, ...args], {
      cwd: folder,
      env: { ...process.env, HOME: home, ...(token !== undefined && { SERVICE_TOKEN: token }) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    return code === 0 ? stdout.trim() : fail(`cairn ${args.join(" ")}: exit code ${code}\n${stderr}`);
  };
  const data = async <T>(...args: string[]) => JSON.parse(await run([...args, "--json"])) as T;
  say("13. a context server, and two laptops that share its space");
  const at = ["--server-dir", server];
  await run([
    "init",
    "server",
    "--noui",
    "--non-interactive",
    ...at,
    "--port",
    "0",
    "--space",
    "team",
    "--admin",
    "ada",
  ]);
  await using running = await started([program, "server", "start", ...at], home);
  const { url } = running;
  const laptop = async (name: string): Promise<Laptop> => {
    const { token } = await data<{ token: string }>("auth", "token", "create", "ada", "--label", name, ...at);
    const directory = join(folder, name);
    await run(
      ["init", "client", "--non-interactive", "--server", url, "--space", "team", "--dir", directory],
      token,
    );
    return { name, directory, token };
  };
  const [one, two] = [await laptop("laptop-1"), await laptop("laptop-2")];
  const sync = ({ directory, token }: Laptop) => run(["sync", "--dir", directory], token);
  const edit = async ({ name, directory }: Laptop, text: string) => {
    const file = join(directory, PAGE);
    await writeFile(file, `${await readFile(file, "utf8")}\n${text}\n`);
    say(`   ${name} writes: ${text}`);
  };
  await edit(one, "We ship on Fridays.");
  await sync(one);
  await edit(two, "We ship on Mondays.");
  say("14. both changed the same place, so the second sync keeps both texts:");
  await sync(two);
  const [conflict] = await data<{ path: string; copy: string }[]>("conflict", "list", "--dir", two.directory);
  if (!conflict) return fail("the two edits did not conflict");
  say(`   ${conflict.copy} stands beside ${conflict.path}`);
  const merged = join(folder, "merged.md");
  await writeFile(merged, `${await readFile(join(one.directory, PAGE), "utf8")}\nAfter June, on Mondays.\n`);
  await run(["conflict", "resolve", PAGE, "--merged", merged, "--dir", two.directory], two.token);
  await sync(two);
  await sync(one);
  const texts = await Promise.all([one, two].map(({ directory }) => readFile(join(directory, PAGE), "utf8")));
  if (texts[0] !== texts[1] || !texts[0]?.includes("After June")) fail("the laptops did not converge");
  const history = await data<{ versions: unknown[] }>("file", "history", PAGE, ...at);
  say(
    `15. resolved: both laptops have the same text, and the server has ${history.versions.length} versions of it`,
  );
}

/** Waits until the server says where it listens. */
async function started(command: string[], home: string): Promise<AsyncDisposable & { readonly url: string }> {
  const child = Bun.spawn(command, {
    env: { ...process.env, HOME: home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const overdue = setTimeout(() => child.kill("SIGKILL"), START_DEADLINE_MS);
  const found = Promise.withResolvers<string | undefined>();
  const read = async () => {
    let output = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      output += decoder.decode(chunk, { stream: true });
      const url = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(output)?.[0];
      if (url !== undefined) found.resolve(url);
    }
    found.resolve(undefined);
  };
  void read();
  const url = await found.promise;
  clearTimeout(overdue);
  if (url === undefined) return fail("the context server did not start");
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}
