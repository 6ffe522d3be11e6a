// Lists the changes of an update for the audit: `field` and `field_before` of each field that differs.

type Value = string | number | null;

export function changesOf<F extends object>(before: F, after: F): Record<string, Value> {
  const changes: Record<string, Value> = {};
  for (const [field, value] of Object.entries(after) as [string, Value][]) {
    const old = before[field as keyof F] as Value;
    if (old === value) continue;
    changes[field] = value;
    changes[`${field}_before`] = old;
  }
  return changes;
}
