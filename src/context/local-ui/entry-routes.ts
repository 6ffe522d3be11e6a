// Exchanges the key in the printed address for the cookie of a session, and goes to the first page, so that the key stays in no address line.

import { AppError } from "../../kit/error.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { wrongMethod } from "../../kit/http/route-table.ts";
import type { Answer, Area, Asked } from "../console/area.ts";
import { partAnswer, redirect } from "../console/responses.ts";
import type { Stranger } from "../console/visit.ts";
import { ENTER_PATH, hasSession, sessionCookie } from "./door.ts";
import type { Entry, Exchanged } from "./entry.ts";
import { KEY_MINUTES } from "./limits.ts";

const FIRST_PAGE = "/console";
const ANOTHER = "press Enter in the terminal of cairn ui for a new one";
const PROBLEMS: Readonly<Record<Extract<Exchanged, { problem: string }>["problem"], string>> = {
  used: `This address has been used; ${ANOTHER}. If you did not open it, someone else on this machine did: end cairn ui with Ctrl+C.`,
  expired: `This address expired after ${KEY_MINUTES} minutes; ${ANOTHER}.`,
  unknown: `This is not the address that cairn ui printed; ${ANOTHER}.`,
};

export function entryArea(entry: Entry, onEntered: () => void): Area {
  const open = (asked: Asked<Stranger>) => enter(entry, onEntered, asked);
  return { routes: [{ method: "GET", path: ENTER_PATH, open, query: ["key"] }] };
}

async function enter(
  entry: Entry,
  onEntered: () => void,
  { query, exchange, visit: { nonce } }: Asked<Stranger>,
): Promise<Answer> {
  if (exchange.method !== "GET") throw wrongMethod(exchange.method, exchange.path, ["GET"]);
  // A browser that only looks ahead must not use up the key.
  if (/prefetch|prerender/.test(purposeOf(exchange)))
    throw new AppError("unavailable", "open this address yourself; it works once");
  const given = query.get("key") ?? "";
  const exchanged = entry.exchange(given);
  if ("session" in exchanged) {
    onEntered();
    const cookies = [sessionCookie(exchange, exchanged.session)];
    return { kind: "response", response: await onward(exchange, nonce, cookies) };
  }
  // A page that is loaded again, or the way back in the history.
  if (hasSession(exchange, entry)) return { kind: "to", path: FIRST_PAGE };
  throw new AppError("forbidden", PROBLEMS[exchanged.problem]);
}

/** A browser that comes from another site does not send the new cookie after a redirect, but it does after a page of our own. */
async function onward(exchange: Exchange, nonce: string, cookies: readonly string[]): Promise<Response> {
  if (exchange.headers["sec-fetch-site"] !== "cross-site")
    return redirect(exchange, FIRST_PAGE, nonce, cookies);
  const html = `<!doctype html><meta http-equiv="refresh" content="0;url=${FIRST_PAGE}"><title>Cairn</title><a href="${FIRST_PAGE}">Continue</a>`;
  return partAnswer(exchange, html, { status: 200, nonce, cookies });
}

function purposeOf({ headers }: Exchange): string {
  return `${headers["sec-purpose"] ?? ""} ${headers["purpose"] ?? ""}`;
}
