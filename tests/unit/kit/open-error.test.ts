// Goal: a database that may not be opened names the usual mistake, not the system call.

import { expect, test } from "bun:test";
import { openError } from "../../../src/kit/storage/db-file.ts";

const failed = (code: string) =>
  openError("/data/service.db", Object.assign(new Error(`${code}: chmod`), { code }));

test("a database of another user, and one on a read-only disk", () => {
  const other = "/data/service.db belongs to another user; run the program as its owner, or change the owner";
  expect(failed("EPERM")).toMatchObject({ code: "refused", message: other });
  const unwritable =
    "/data/service.db cannot be written: permission denied, or the disk is read-only; run the program as the owner of the directory, or choose another one";
  for (const code of ["EROFS", "EACCES", "SQLITE_READONLY_DIRECTORY"])
    expect(failed(code)).toMatchObject({ code: "refused", message: unwritable });
  expect(failed("EIO")).toMatchObject({ code: "unavailable" });
});
