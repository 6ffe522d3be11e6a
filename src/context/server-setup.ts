// Builds the setup pages of a server without users. Loaded with the first request for them.

import { AddressList } from "../kit/http/client-address.ts";
import type { Handle } from "../kit/http/serve.ts";
import type { Log } from "../kit/log.ts";
import { Console } from "./console/console.ts";
import { ConsoleCookies, VisitorDoor } from "./console/door.ts";
import type { Parts } from "./parts.ts";
import { localCaller } from "./identity/caller.ts";
import { systemUser } from "./people/local-door.ts";
import { Setup, type Listen } from "./setup/setup.ts";
import { setupArea } from "./setup/setup-routes.ts";

export interface SetupOptions {
  /** Proves the operator: shown in the terminal, never stored. */
  readonly code: string;
  /** Makes the server listen elsewhere, once the answer is out. */
  readonly moveTo: (listen: Listen) => void;
}

export function serverSetup(parts: Parts, log: Log, { code, moveTo }: SetupOptions): Handle {
  const { config, logins, spaces } = parts;
  const proxies = new AddressList("listen.trusted_proxies", config.trustedProxies);
  const port = () => parts.listener.port ?? config.listen.port;
  const cookies = new ConsoleCookies(port, proxies, config.tls === undefined ? "http" : "https");
  const setup = new Setup({
    directory: config.directory,
    code,
    listen: () => ({ host: config.listen.host, port: port() }),
    logins,
    spaces,
    operator: localCaller(systemUser()),
    moveTo,
  });
  const pages = new Console({
    areas: [setupArea(setup, cookies)],
    door: new VisitorDoor(cookies),
    log,
  });
  return (request, exchange) => pages.handle(request, exchange);
}
