// Goal: the command line rewords what a server refuses by its code and details, so that another sentence changes nothing.

import { expect, test } from "bun:test";
import { inWordsOfFlags } from "../../src/cli/connection.ts";
import { AppError, badParameter } from "../../src/kit/error.ts";
import { badCredential, noCredential } from "../../src/kit/http/bearer.ts";

const SERVER = "https://context.example.org";
const REMEDY = `cairn auth login <name> --server ${SERVER}, or pass a token with --token-file or SERVICE_TOKEN`;

const said = (error: AppError, server?: string) => (inWordsOfFlags(error, server) as AppError).message;
/** The same refusal in other words. */
const reworded = ({ code, details }: AppError) => new AppError(code, "in other words", details);

test("names the flag of a query parameter", () => {
  const error = badParameter("since", "expected a time");
  expect(said(error)).toBe("--since: expected a time");
  expect(said(reworded(error))).toBe("--since: expected a time");
  const worded = inWordsOfFlags(error, undefined, { given: { since: "yesterday", json: true } });
  expect((worded as AppError).message).toBe('--since "yesterday": expected a time');
});

test("names the command that signs in, with a token that is refused and without one", () => {
  expect(said(reworded(noCredential()), SERVER)).toBe(`not signed in to ${SERVER}; run ${REMEDY}`);
  expect(said(reworded(badCredential()), SERVER)).toBe(`in other words; run ${REMEDY}`);
  expect(said(badCredential(), undefined)).toBe(badCredential().message);
});

test("says why SERVICE_TOKEN was not sent", () => {
  const other = "https://other.example.org";
  const environment = { SERVICE_TOKEN: "9", SERVICE_TOKEN_SERVER: other };
  const worded = (server: string) =>
    (inWordsOfFlags(noCredential(), server, { environment }) as AppError).message;
  expect(worded(SERVER)).toBe(
    `not signed in to ${SERVER}; run ${REMEDY}; SERVICE_TOKEN_SERVER sends SERVICE_TOKEN to ${other} only`,
  );
  expect(worded(other)).toEndWith("or SERVICE_TOKEN");
});

test("leaves every other refusal as it is", () => {
  const login = new AppError("unauthenticated", "invalid credentials");
  expect(said(login, SERVER)).toBe("invalid credentials");
  const other = new AppError("invalid", "query parameter since: in the sentence only");
  expect(inWordsOfFlags(other, SERVER)).toBe(other);
});
