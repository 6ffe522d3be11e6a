// Starts the service for a test: the same `main` as the binary's, on a port of the system's choice, with a folder of its own.
// The clients speak real HTTP. `await using` stops it and removes the folder.

import { startService, type Service, type StartOptions } from "../../src/service/main.ts";
import { createClient, type Client } from "./client.ts";
import { temporaryFolder } from "./folder.ts";

export interface TestService extends AsyncDisposable {
  readonly service: Service;
  readonly url: string;
  readonly data: string;
  readonly log: string[];
  /** The token that the first start announced. */
  readonly adminToken: string;
  /** Acts with the loopback privilege. */
  readonly admin: Client;
  /** Acts with a token. */
  as(token: string): Client;
  /** Creates a user and returns a client that acts as them. */
  user(
    name: string,
    role?: "admin" | "team-lead" | "member",
  ): Promise<Client & { id: number; token: string }>;
}

export interface TestServiceOptions extends Partial<
  Pick<StartOptions, "clock" | "times" | "sandbox" | "network">
> {
  /** A folder to start on; given: it is not removed. */
  data?: string;
  flags?: StartOptions["flags"];
  environment?: Record<string, string>;
}

export async function testService(options: TestServiceOptions = {}): Promise<TestService> {
  const folder = options.data === undefined ? await temporaryFolder() : undefined;
  const data = options.data ?? folder!.path;
  const log: string[] = [];
  const service = await startService({
    flags: { data, listen: "127.0.0.1:0", logLevel: "debug", ...options.flags },
    environment: { HOME: data, PATH: "/nonexistent", ...options.environment },
    log: { format: "json", write: (line) => void log.push(line) },
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.times ? { times: options.times } : {}),
    ...(options.sandbox ? { sandbox: options.sandbox } : {}),
    ...(options.network ? { network: options.network } : {}),
  });
  const admin = createClient(service.url);
  return {
    service,
    url: service.url,
    data,
    log,
    adminToken: tokenOf(log),
    admin,
    as: (token) => createClient(service.url, token),
    user: async (name, role = "member") => {
      const { user, token } = await admin.post("/users", {
        name,
        role,
      });
      return Object.assign(createClient(service.url, token), { id: user.id, token });
    },
    async [Symbol.asyncDispose]() {
      await service.stop("test is over");
      await folder?.[Symbol.asyncDispose]();
    },
  };
}

function tokenOf(log: readonly string[]): string {
  const line = log
    .map((text) => JSON.parse(text) as { token?: string })
    .find((entry) => entry.token !== undefined);
  return line?.token ?? "";
}
