// Goal: each user of a server has a saved token of their own, one of them is current, and a file of an earlier program is read as it is.

import { join } from "node:path";
import { expect, test } from "bun:test";
import {
  forgetToken,
  lastSignIn,
  savedToken,
  saveSignIn,
  saveServer,
  saveToken,
  storedToken,
  variableToken,
  variableTokenOfFolder,
} from "../../src/cli/credentials.ts";
import { TOKEN_EXPECTED } from "../../src/kit/secrets/access-token.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";

const URL_A = "https://a.example.org";
const URL_B = "https://b.example.org";

async function home() {
  const folder = await temporaryFolder();
  const environment = { HOME: folder.path };
  const path = join(folder.path, ".cairn", "credentials.json");
  return {
    environment,
    path,
    write: (stored: unknown) => folder.write(".cairn/credentials.json", JSON.stringify(stored)),
    /** Tokens by user, and of the current one. */
    tokens: (url = URL_A) => ({
      ann: savedToken(url, environment, "ann"),
      bob: savedToken(url, environment, "bob"),
      current: savedToken(url, environment),
    }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("reads a file of an earlier program, and keeps what is in it", async () => {
  await using at = await home();
  const ann = { user: "ann", token: "of-ann" };
  await at.write({ [URL_A]: { ...ann, last: true }, [URL_B]: { user: "eve", token: "of-eve" } });
  expect(at.tokens()).toEqual({ ann: "of-ann", bob: undefined, current: "of-ann" });
  expect([lastSignIn(at.environment), storedToken(URL_B, at.environment)]).toEqual([URL_A, "of-eve"]);
  await saveToken(URL_A, { user: "bob", token: "of-bob" }, at.environment);
  expect(at.tokens()).toEqual({ ann: "of-ann", bob: "of-bob", current: "of-ann" });
  expect([lastSignIn(at.environment), storedToken(URL_B, at.environment)]).toEqual([URL_A, "of-eve"]);
});

test("a sign-in makes its user current, and a folder's token only where nobody is", async () => {
  await using at = await home();
  const { environment } = at;
  await saveToken(URL_A, { user: "bob", token: "1" }, environment);
  expect(at.tokens()).toEqual({ ann: undefined, bob: "1", current: "1" });
  expect(lastSignIn(environment)).toBeUndefined();
  await saveSignIn(URL_A, { user: "ann", token: "2" }, environment);
  await saveToken(URL_A, { user: "Bob", token: "3" }, environment);
  expect(at.tokens()).toEqual({ ann: "2", bob: "3", current: "2" });
  await saveSignIn(URL_A, { user: "bob", token: "4" }, environment);
  expect(at.tokens()).toEqual({ ann: "2", bob: "4", current: "4" });
});

test("after the current user signed out nobody is current, and the others keep their tokens", async () => {
  await using at = await home();
  const { environment } = at;
  await saveSignIn(URL_A, { user: "ann", token: "1" }, environment);
  await saveSignIn(URL_A, { user: "bob", token: "2" }, environment);
  await forgetToken(URL_A, "of nobody", environment);
  await forgetToken(URL_A, "1", environment);
  expect(at.tokens()).toEqual({ ann: undefined, bob: "2", current: "2" });
  await saveToken(URL_A, { user: "ann", token: "3" }, environment);
  await forgetToken(URL_A, "2", environment);
  expect(at.tokens()).toEqual({ ann: "3", bob: undefined, current: undefined });
  expect(lastSignIn(environment)).toBeUndefined();
});

test("SERVICE_TOKEN is one token and wins over all that are saved", async () => {
  await using at = await home();
  await saveSignIn(URL_A, { user: "ann", token: "1" }, at.environment);
  const token = (text: string) => storedToken(URL_A, { ...at.environment, SERVICE_TOKEN: text }, "ann");
  expect([token(""), token(" 9\n")]).toEqual(["1", "9"]);
  for (const text of [" ", "cairn_a\nit does not expire", "cairn_a b", "cairn_ä"])
    await refusal(() => token(text), "invalid", `SERVICE_TOKEN: ${TOKEN_EXPECTED}`);
});

test("SERVICE_TOKEN_SERVER limits SERVICE_TOKEN to one server", async () => {
  await using at = await home();
  await saveSignIn(URL_A, { user: "ann", token: "1" }, at.environment);
  const machine = { ...at.environment, SERVICE_TOKEN: "9", SERVICE_TOKEN_SERVER: `${URL_B}/` };
  expect([storedToken(URL_A, machine), storedToken(URL_B, machine)]).toEqual(["1", "9"]);
  expect([variableTokenOfFolder(URL_A, machine), variableTokenOfFolder(URL_B, machine)]).toEqual([
    undefined,
    "9",
  ]);
  await refusal(
    () => variableToken(URL_A, { ...machine, SERVICE_TOKEN_SERVER: "example" }),
    "invalid",
    'SERVICE_TOKEN_SERVER "example": expected an address, for example https://context.example.org',
    { did_you_mean: "https://example" },
  );
});

test("SERVICE_TOKEN goes to a folder's server only after a sign-in or a join there", async () => {
  await using at = await home();
  const machine = { ...at.environment, SERVICE_TOKEN: "9" };
  await refusal(
    () => variableTokenOfFolder(URL_A, machine),
    "refused",
    `SERVICE_TOKEN is not sent to ${URL_A}, which only this folder names; if you trust that server with it, set SERVICE_TOKEN_SERVER=${URL_A}, or pass the token with --token-file`,
    { server: URL_A },
  );
  await saveServer(URL_A, at.environment);
  expect(variableTokenOfFolder(URL_A, machine)).toBe("9");
  await saveSignIn(URL_A, { user: "ann", token: "1" }, at.environment);
  await forgetToken(URL_A, "1", at.environment);
  expect([savedToken(URL_A, at.environment), variableTokenOfFolder(URL_A, machine)]).toEqual([
    undefined,
    "9",
  ]);
});

test("says that a file is damaged, whatever is in it", async () => {
  await using at = await home();
  const damaged = `${at.path} is damaged; delete it and sign in again with cairn auth login <name> --server <address>`;
  const entries = [null, "token", {}, { user: "ann" }, { users: "ann" }, { users: [{ user: "ann" }] }];
  for (const stored of [null, ...entries.map((entry) => ({ [URL_A]: entry }))]) {
    await at.write(stored);
    await refusal(() => savedToken(URL_A, at.environment), "invalid", damaged);
  }
});
