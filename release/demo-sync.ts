// The last step of `npm run demo`: two laptops share a space of a context server, with the compiled `cairn`. Both edit the same line, which opens a
// conflict; one of them resolves it, and both end with the same text.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { adminToken, cairn, contextServer, type Say } from "./demo-programs.ts";

const PAGE = "decisions.md";

interface Laptop {
  readonly name: string;
  readonly directory: string;
  readonly token: string;
}

/** Raises if a command fails. */
export async function demonstrateSync(folder: string, say: Say): Promise<void> {
  const run = (args: readonly string[], token?: string): Promise<string> =>
    cairn(folder, args, token === undefined ? {} : { SERVICE_TOKEN: token });
  const data = async <T>(...args: string[]) => JSON.parse(await run([...args, "--json"])) as T;
  say("15. a context server, and two laptops that share its space");
  await using server = await contextServer(folder);
  const { at, url } = server;
  const laptop = async (name: string): Promise<Laptop> => {
    const token = await adminToken(folder, at, name);
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
  say("16. both changed the same line, so the second sync keeps both texts:");
  await sync(two);
  const [conflict] = await data<{ path: string; copy: string }[]>("conflict", "list", "--dir", two.directory);
  if (!conflict) throw new Error("the two edits did not conflict");
  say(`   ${conflict.copy} is beside ${conflict.path}`);
  const merged = join(folder, "merged.md");
  await writeFile(merged, `${await readFile(join(one.directory, PAGE), "utf8")}\nAfter June, on Mondays.\n`);
  await run(["conflict", "resolve", PAGE, "--merged", merged, "--dir", two.directory], two.token);
  await sync(two);
  await sync(one);
  const texts = await Promise.all([one, two].map(({ directory }) => readFile(join(directory, PAGE), "utf8")));
  if (texts[0] !== texts[1] || !texts[0]?.includes("After June"))
    throw new Error("the laptops did not converge");
  const history = await data<{ versions: unknown[] }>("file", "history", PAGE, ...at);
  say(
    `17. resolved: both laptops have the same text, and the server has ${history.versions.length} versions of it`,
  );
}
