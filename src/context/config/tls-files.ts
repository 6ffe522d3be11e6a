// The certificate of a server and its key, read when it starts to listen.

import { resolve } from "node:path";
import { accessProblem } from "../../kit/disk/disk.ts";
import { readRegularFile } from "../../kit/disk/regular-file.ts";
import { AppError } from "../../kit/error.ts";
import type { ServerConfig } from "./schema.ts";

export interface Tls {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

/** Undefined: plain HTTP. Raises `invalid` for a file that cannot be read. */
export function readTls({ directory, tls }: Pick<ServerConfig, "directory" | "tls">): Tls | undefined {
  if (tls === undefined) return undefined;
  const read = (setting: string, file: string) => {
    const path = resolve(directory, file);
    try {
      return readRegularFile(path).toString("utf8");
    } catch (error) {
      throw new AppError("invalid", `tls.${setting}: ${path}: ${accessProblem(error)}`);
    }
  };
  return { cert: read("cert_file", tls.certFile), key: read("key_file", tls.keyFile) };
}
