// The commands of `cairn backup` in tests: what they answer, as data or as a refusal.

import { expect } from "bun:test";
import { runBinary } from "./binaries.ts";
import type { RunningContext } from "./running-context.ts";

export interface Made {
  file: string;
  size: number;
  sha256: string;
  created_at: string;
  spaces: {
    name: string;
    head: string;
    files: number;
    versions: number;
    left_out: { modified: number; untracked: number };
  }[];
  audit: { entries: number; head: string };
}

/** A command that must succeed and say nothing but its data. */
export async function done<T = Made>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await runBinary("cairn", [...args, "--json"]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as T;
}

export async function refused(...args: string[]): Promise<[number, string]> {
  const { exitCode, stdout, stderr } = await runBinary("cairn", args);
  expect(stdout).toBe("");
  return [exitCode, stderr];
}

export const create = (server: RunningContext, out: string) =>
  done("backup", "create", "--out", out, "--server-dir", server.directory);
export const restore = (file: string, directory: string) =>
  done<Made>("backup", "restore", file, "--server-dir", directory);
