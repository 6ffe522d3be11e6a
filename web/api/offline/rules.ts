// The answers that may be kept for reading offline, as strict lists. Pure. Everything else always goes to the server.

/** Files with a hash of their content in the name, so a copy is never outdated. */
const ASSET = /^\/assets\/[^/]+$/;
/** The routes that a conversation and the way to it are read from. Nothing of it is a decision, a key, a file or a stream. */
const KEPT = [
  /^\/api\/v1\/whoami$/,
  /^\/api\/v1\/(?:models|providers|teams)$/,
  /^\/api\/v1\/workspaces$/,
  /^\/api\/v1\/workspaces\/activity$/,
  /^\/api\/v1\/workspaces\/\d+$/,
  /^\/api\/v1\/workspaces\/\d+\/(?:blueprint|turns|entries|decisions|usage|branches)$/,
  /^\/api\/v1\/approvals$/,
];

/** On a stored answer: when the server gave it. */
export const STORED_HEADER = "x-cairn-stored";

type Treatment = "asset" | "page" | "kept" | "forgets" | "network";

/** `forgets`: another person may come after it, so everything kept is deleted first. */
export function treatmentOf(
  method: string,
  path: string,
  { isNavigation }: { readonly isNavigation: boolean },
): Treatment {
  if (method === "POST" && /^\/api\/v1\/(?:logout|login)$/.test(path)) return "forgets";
  if (method !== "GET") return "network";
  if (ASSET.test(path)) return "asset";
  if (isNavigation) return path.startsWith("/api/") || /\.[a-z0-9]+$/i.test(path) ? "network" : "page";
  return KEPT.some((one) => one.test(path)) ? "kept" : "network";
}
