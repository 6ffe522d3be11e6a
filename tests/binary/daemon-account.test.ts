// Goal: a proxy that shows no sign of itself in its requests is known by its account: strangers behind it are not the admin.

import { expect, test } from "bun:test";
import { isRoot } from "../kit/as-nobody.ts";
import { runService } from "../kit/service/running.ts";

/** On Debian, the account of web servers. */
const DAEMON = 33;
const PERSON = 1_234;
const canChange = process.platform === "linux" && isRoot && Bun.which("setpriv") !== null;
if (!canChange) console.log("skipped: a request of another account needs root on Linux");

/** As nginx sends it with `proxy_set_header Connection ""`, by default in HTTP/1.0: nothing but our own address and the headers of its client. */
const REQUEST = [
  'exec 3<>"/dev/tcp/127.0.0.1/$1"',
  `printf '%s %s HTTP/%s\\r\\nHost: 127.0.0.1:%s\\r\\nUser-Agent: curl/8\\r\\nAccept: */*\\r\\n%b\\r\\n' "$2" "$3" "$4" "$1" "$5" >&3`,
  "IFS= read -r -t 10 status <&3",
  'printf "%s" "$status"',
].join("\n");

async function statusFor(user: number, port: number, line: readonly string[]): Promise<number> {
  const who = [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const child = Bun.spawn(["setpriv", ...who, "bash", "-c", REQUEST, "bash", String(port), ...line], {
    stdout: "pipe",
  });
  return Number((await child.stdout.text()).split(" ")[1]);
}

test.skipIf(!canChange)(
  "only the account of a daemon costs the privilege, and no more than that",
  async () => {
    await using service = await runService();
    const asked = (user: number, method: string, path: string, version = "1.1", more = "") =>
      statusFor(user, service.port, [method, path, version, more]);
    expect(await asked(PERSON, "GET", "/api/v1/users")).toBe(200);
    expect(await asked(DAEMON, "GET", "/api/v1/users")).toBe(401);
    expect(await asked(DAEMON, "GET", "/api/v1/users", "1.0")).toBe(401);
    const ends = "Connection: close\\r\\n";
    expect(await asked(PERSON, "GET", "/api/v1/users", "1.1", ends)).toBe(200);
    expect(await asked(DAEMON, "GET", "/api/v1/users", "1.0", ends)).toBe(401);
    expect(await asked(DAEMON, "DELETE", "/api/v1/workspaces/1")).toBe(401);
    // A page contains no secret, and a monitor often runs under an account of its own.
    expect(await asked(DAEMON, "GET", "/")).toBe(200);
    expect(await asked(DAEMON, "GET", "/metrics")).toBe(200);
  },
);
