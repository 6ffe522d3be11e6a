// Finds the command that opens an address in the person's browser.

import { hasProgram, type Environment } from "../environment.ts";
import { startForGood } from "./process.ts";

/** Returns false where there is none: no desktop, or a session over the network. */
export function openInBrowser(address: string, environment: Environment): boolean {
  const command = browserCommand(address, environment, process.platform);
  return command !== undefined && startForGood(command, environment);
}

/** Undefined: there is no browser to open. `BROWSER` names a program, as on other systems; its other forms are left to the desktop's own opener. */
export function browserCommand(
  address: string,
  environment: Environment,
  platform: NodeJS.Platform,
): string[] | undefined {
  const named = environment.BROWSER;
  if (named !== undefined && named !== "" && hasProgram(named, environment)) return [named, address];
  if (platform === "darwin" || platform === "win32") {
    // The desktop of this machine is not in front of the person.
    if (environment.SSH_CONNECTION) return undefined;
    return platform === "darwin" ? ["open", address] : ["rundll32", "url.dll,FileProtocolHandler", address];
  }
  const opener = environment.WSL_DISTRO_NAME ? "wslview" : "xdg-open";
  const hasDesktop = environment.DISPLAY || environment.WAYLAND_DISPLAY || environment.WSL_DISTRO_NAME;
  return hasDesktop && hasProgram(opener, environment) ? [opener, address] : undefined;
}
