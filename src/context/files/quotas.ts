// Checks quotas against the state after a batch. A change that shrinks a space is never refused. Running totals make the check free.

import { AppError } from "../../kit/error.ts";
import type { EffectiveQuotas } from "../spaces/schema.ts";
import { fileError } from "../versioned-store/file-error.ts";
import type { Operation, Plan } from "../versioned-store/engine.ts";

const WARNED_FROM = 0.8;

interface QuotaNews {
  readonly type: "quota.warning" | "quota.exceeded";
  readonly data: { readonly quota: string; readonly used: number; readonly limit: number };
}

/** Raises `quota_exceeded` with `quota, used, limit`. Calls `tell` for limits that the batch exceeds or nearly reaches. */
export function admitQuotas(limits: EffectiveQuotas, plan: Plan, tell: (news: QuotaNews) => void): void {
  for (const { path, op, after } of plan.effects)
    if (op === "write") admitSize(limits, path, after!.size, tell);
  const { before, after } = plan;
  judge({ quota: "max_files", limit: limits.max_files, unit: "files" }, before.files, after.files, tell);
  judge(
    { quota: "max_space_size", limit: limits.max_space_size, unit: "bytes" },
    before.bytes,
    after.bytes,
    tell,
  );
}

/** Checks the file size limit before any work on the contents. Raises as `admitQuotas`. */
export function admitSizes(
  limits: EffectiveQuotas,
  operations: readonly Operation[],
  tell: (news: QuotaNews) => void,
): void {
  for (const operation of operations)
    if (operation.op === "put") admitSize(limits, operation.path, operation.content.length, tell);
}

function admitSize(
  { max_file_size: limit }: EffectiveQuotas,
  path: string,
  size: number,
  tell: (news: QuotaNews) => void,
): void {
  if (size <= limit) return;
  tell({ type: "quota.exceeded", data: { quota: "max_file_size", used: size, limit } });
  throw exceeded({ quota: "max_file_size", used: size, limit }, `${size} bytes`, path);
}

function judge(
  { quota, limit, unit }: { readonly quota: string; readonly limit: number; readonly unit: string },
  before: number,
  after: number,
  tell: (news: QuotaNews) => void,
): void {
  if (after <= before) return;
  if (after > limit) {
    tell({ type: "quota.exceeded", data: { quota, used: before, limit } });
    throw exceeded({ quota, used: before, limit }, `the space would hold ${after} ${unit}`);
  }
  if (after > limit * WARNED_FROM && before <= limit * WARNED_FROM)
    tell({ type: "quota.warning", data: { quota, used: after, limit } });
}

function exceeded(details: QuotaNews["data"], what: string, path?: string): AppError {
  const problem = `${what}, over the limit of ${details.limit} (${details.quota})`;
  return path === undefined
    ? new AppError("quota_exceeded", problem, { ...details })
    : fileError("quota_exceeded", path, problem, { ...details });
}
