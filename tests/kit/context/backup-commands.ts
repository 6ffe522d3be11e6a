// The commands of `cairn backup` in tests.

import { data } from "../cli/cairn.ts";
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

export const create = (server: RunningContext, out: string) =>
  server.data<Made>("backup", "create", "--out", out);
export const restore = (file: string, directory: string) =>
  data<Made>("backup", "restore", file, "--server-dir", directory);
