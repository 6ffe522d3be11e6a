// The models as the choices of a field.

import type { Model } from "../../../src/service/catalog/schema.ts";

interface ModelChoice {
  readonly value: string;
  readonly label: string;
  readonly note: string;
}

export function modelChoices(models: readonly Model[] = []): ModelChoice[] {
  return models.map(({ id, distinct_label: label, provider_name: note }) => ({
    value: String(id),
    label,
    note,
  }));
}
