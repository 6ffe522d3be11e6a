// The check of `cairn doctor` on `server.yaml`.

import { AppError, messageOf } from "../../kit/error.ts";
import { readServerConfig } from "../config/config.ts";
import type { ServerConfig } from "../config/schema.ts";
import { fail, ok, type Verdict } from "./finding.ts";

export function configOf(directory: string): { value?: ServerConfig; error?: unknown } {
  try {
    return { value: readServerConfig(directory) };
  } catch (error) {
    return { error };
  }
}

export function configVerdict({ value, error }: ReturnType<typeof configOf>): Verdict {
  if (value) return ok("server.yaml loads");
  const reason = error instanceof AppError ? error.details?.["reason"] : undefined;
  return fail(messageOf(error), CONFIG_FIXES[String(reason)] ?? CONFIG_FIX);
}

const CONFIG_FIX = "correct that key in server.yaml, or remove it: every key has a default";
const NOT_OURS = "run it as the owner of server.yaml";
/** By the reason in the error's details. */
const CONFIG_FIXES: Readonly<Record<string, string>> = {
  ENOENT: "restore server.yaml from a backup, or write an empty one: every key has a default",
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
  syntax: "correct the last edit of server.yaml: it is not valid YAML",
};
