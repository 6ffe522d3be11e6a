// Rules for the built-in example (llm/example.ts): it has fixed names, no address, no key and no figures, so that nobody takes it for a model.

import { AppError, fieldError } from "../../kit/error.ts";
import {
  EXAMPLE_MODEL_LABEL,
  EXAMPLE_MODEL_NAME,
  EXAMPLE_PROVIDER_NAME,
  type CreateModel,
  type CreateProvider,
  type ProviderTest,
} from "./schema.ts";

/** Raises `invalid`. */
export function requireExampleProvider({ name, base_url = "", api_key = "" }: CreateProvider): void {
  requireValue("name", name, EXAMPLE_PROVIDER_NAME);
  requireValue("base_url", base_url, "");
  requireValue("api_key", api_key, "");
}

/** Raises `invalid`. */
export function requireExampleModel(input: CreateModel): void {
  requireValue("model_name", input.model_name, EXAMPLE_MODEL_NAME);
  requireValue("label", input.label ?? "", EXAMPLE_MODEL_LABEL);
}

function requireValue(field: string, given: string, wanted: string): void {
  if (given.trim() === wanted) return;
  const must = wanted === "" ? "must be empty" : `must be "${wanted}"`;
  throw fieldError("invalid", field, `${must} for the built-in example`);
}

export function exampleIsFixed(): AppError {
  return new AppError("refused", "the built-in example cannot be edited; delete it instead");
}

export const EXAMPLE_TEST: ProviderTest = {
  ok: true,
  models: [EXAMPLE_MODEL_NAME],
  status: null,
  message: "built in; nothing is sent",
};
