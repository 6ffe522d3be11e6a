// The address of a server as people enter it: checked, and in the one form under which tokens are saved.

import { AppError } from "../kit/error.ts";
import { isLoopbackAddress } from "../kit/http/guard.ts";

/** Returns the address as it is compared and stored. `source`: the flag or variable with the text. Raises `invalid`. */
export function serverUrl(text: string, source = "--server"): string {
  const url = URL.parse(text);
  if (
    !url ||
    (url.protocol !== "http:" && url.protocol !== "https:") ||
    [url.username, url.password, url.search, url.hash].some((part) => part !== "")
  )
    throw new AppError(
      "invalid",
      `${source} "${text}": expected an address, for example https://context.example.org`,
      withScheme(text),
    );
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** The address that a host without a scheme means: a server speaks plain HTTP on its own machine only. */
function withScheme(text: string): { did_you_mean: string } | undefined {
  const host = text.includes("://") ? null : URL.parse(`http://${text}`);
  if (!host || host.hostname === "" || host.username !== "" || host.search !== "") return undefined;
  const isHere = isLoopbackAddress(host.hostname.replace(/^\[(.*)\]$/, "$1"));
  return { did_you_mean: `${isHere ? "http" : "https"}://${text}` };
}
