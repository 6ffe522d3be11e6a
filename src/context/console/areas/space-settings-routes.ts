// The settings of a space, for its leads: quotas and sync rules.

import { h } from "preact";
import { sha256Hex } from "../../../kit/crypto.ts";
import { AppError, fieldError } from "../../../kit/error.ts";
import type { ServerConfig } from "../../config/schema.ts";
import { Quotas, SyncRules, type EffectiveQuotas, type Space } from "../../spaces/schema.ts";
import type { Spaces } from "../../spaces/spaces.ts";
import { canonicalRules } from "../../spaces/sync-rules.ts";
import { to, type Answer, type Area, type Asked } from "../area.ts";
import { byteCount, byteText } from "../byte-count.ts";
import { failureAt, type Failure } from "../failure.ts";
import type { Form } from "../form.ts";
import { counted } from "../../../kit/text/amounts.ts";
import { spacePath } from "../format.ts";
import { given } from "../form-input.ts";
import { SpaceSettingsBody, type QuotaForm, type QuotaName, type SyncRow } from "../pages/space-settings.tsx";
import { attempt, get, post } from "../routes.ts";
import { SETTINGS_TAB, spacePage } from "../space-head.tsx";

const TAB = SETTINGS_TAB;
const ROOT = `/console/spaces/:space${TAB}`;
const BLANK: SyncRow = { prefix: "", mode: "never" };
/** Above the limit of rules, so that the rules say so. */
const ROWS_MAX = 1_100;

interface SpaceSettingsDeps {
  readonly spaces: Spaces;
  readonly config: Pick<ServerConfig, "quotas" | "backend" | "versionsKept">;
}

interface Typed {
  readonly quotas?: QuotaForm;
  readonly rows?: readonly SyncRow[];
  readonly seen?: string;
}

export function spaceSettingsArea(deps: SpaceSettingsDeps): Area {
  return {
    spaceTabs: [{ label: "Settings", path: TAB, isShown: ({ rights }, space) => rights.has("lead", space) }],
    routes: [
      get(ROOT, (asked) => shown(deps, asked, {})),
      post(`${ROOT}/quotas`, (asked) => savedQuotas(deps, asked)),
      post(`${ROOT}/sync`, (asked) => savedSync(deps, asked)),
    ],
  };
}

async function shown(
  deps: SpaceSettingsDeps,
  asked: Asked,
  typed: Typed,
  failure?: Failure,
): Promise<Answer> {
  const { visit, params } = asked;
  const name = params["space"]!;
  const { spaces, config } = deps;
  const open = await spaces.led(visit.caller, name);
  const space = await spaces.get(visit.caller, name);
  const body = h(SpaceSettingsBody, {
    visit,
    space,
    server: config.quotas,
    backend: config.backend,
    versionsKept: spaces.versionsKept(open),
    quotas: typed.quotas ?? ownQuotas(space),
    rows: typed.rows ?? [...rowsOf(space.sync), BLANK],
    seen: typed.seen ?? seenOf(space.sync),
    mayDelete: visit.caller.rights.has("admin", name),
    failure,
  });
  return spacePage(visit, name, { title: `Settings of ${name}`, tab: TAB, status: failure?.status }, body);
}

/** Empty where the server's limit is in force. */
function ownQuotas({ quotas, quotas_set_by: setBy }: Space): QuotaForm {
  const own = (name: QuotaName, text: (value: number) => string) => (setBy[name] ? text(quotas[name]) : "");
  return {
    max_file_size: own("max_file_size", byteText),
    max_space_size: own("max_space_size", byteText),
    max_files: own("max_files", String),
  };
}

function savedQuotas(deps: SpaceSettingsDeps, asked: Asked): Promise<Answer> {
  const { visit, params, form } = asked;
  const name = params["space"]!;
  const typed: QuotaForm = {
    max_file_size: form.text("max_file_size"),
    max_space_size: form.text("max_space_size"),
    max_files: form.text("max_files"),
  };
  const again = (failure: Failure) => shown(deps, asked, { quotas: typed }, failure);
  return attempt(async () => {
    try {
      const limits: Partial<EffectiveQuotas> = {
        max_file_size: byteCount("max_file_size", typed.max_file_size) ?? 0,
        max_space_size: byteCount("max_space_size", typed.max_space_size) ?? 0,
        max_files: form.number("max_files") ?? 0,
      };
      await deps.spaces.setQuotas(visit.caller, name, given(Quotas, limits));
      return to(spacePath(name, TAB), "Saved the quotas. They apply from the next write.");
    } catch (error) {
      // A lead who asks for more than the server's limit made a mistake in this field.
      if (error instanceof AppError && error.details?.["quota"] !== undefined) return again(failureAt(error));
      throw error;
    }
  }, again);
}

function savedSync(deps: SpaceSettingsDeps, asked: Asked): Promise<Answer> {
  const { visit, params, form } = asked;
  const name = params["space"]!;
  const rows = syncRowsIn(form);
  const seen = form.text("seen");
  if (form.text("do") === "row") return shown(deps, asked, { rows: [...rows, BLANK], seen });
  const kept = rows.filter(({ prefix }) => prefix !== "");
  return attempt(
    async () => {
      requireRules(kept);
      const rules = given(SyncRules, Object.fromEntries(kept.map(({ prefix, mode }) => [prefix, mode])));
      const done = await deps.spaces.setSync(visit.caller, name, (inForce) => {
        if (seenOf(inForce) === seen) return rules;
        throw new AppError("stale", "the rules have changed in the meantime; open the page again");
      });
      return to(spacePath(name, TAB), `Saved ${counted(Object.keys(done).length, "sync rule")}.`);
    },
    (failure) => shown(deps, asked, { rows: [...kept, BLANK], seen }, failure),
  );
}

/** Raises `invalid` at the row: also for a second rule of a prefix, which would silently replace the first. */
function requireRules(rows: readonly SyncRow[]): void {
  const seen = new Set<string>();
  for (const [index, { prefix, mode }] of rows.entries()) {
    const [canonical = ""] = Object.keys(canonicalRule(index, prefix, mode));
    if (seen.has(canonical))
      throw fieldError("invalid", `rules.${index}`, `${canonical} has a rule already; remove one of the two`);
    seen.add(canonical);
  }
}

/** Raises `invalid` at the row. */
function canonicalRule(index: number, prefix: string, mode: string): SyncRules {
  try {
    return canonicalRules(given(SyncRules, { [prefix]: mode }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, error.message, { ...error.details, field: `rules.${index}` });
  }
}

function syncRowsIn(form: Form): SyncRow[] {
  const count = Math.min(form.number("rows") ?? 0, ROWS_MAX);
  return Array.from({ length: count }, (_, index) => ({
    prefix: form.text(`rules.${index}.prefix`).trim(),
    mode: form.text(`rules.${index}.mode`),
  }));
}

function rowsOf(rules: SyncRules): SyncRow[] {
  return Object.entries(rules).map(([prefix, mode]) => ({ prefix, mode }));
}

function seenOf(rules: SyncRules): string {
  return sha256Hex(JSON.stringify(rules));
}
