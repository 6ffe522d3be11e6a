// Providers and models as the API shows them. No response has a field for a key.

import { Type, type Static } from "@sinclair/typebox";
import { judgedNumber, judgedText, GivenName, closed, Id, nullable, oneOf } from "../../kit/schema.ts";

export const BASE_URL_CHARACTERS_MAX = 2048;
export const API_KEY_CHARACTERS_MAX = 4096;
export const MODEL_NAME_CHARACTERS_MAX = 200;
export const CONTEXT_TOKENS_MAX = 100_000_000;
export const PRICE_PER_MILLION_TOKENS_MAX = 1_000_000;
export const PROVIDERS_MAX = 500;
export const MODELS_MAX = 5000;
/** Most models shown of a provider's own list; the message says when there are more. */
export const LISTED_MODELS_MAX = 1000;

export const protocols = ["anthropic", "openai-compatible"] as const;
/** Anthropic's Messages API, or OpenAI's Chat Completions API. */
export type Protocol = (typeof protocols)[number];

/** The two with `vendor` are aliases of the first two; a provider keeps the one it was created with. `example`: the built-in script. */
const providerTypes = [
  "anthropic",
  "openai-compatible",
  "vendor-a",
  "vendor-b-compatible",
  "example",
] as const;
export const ProviderType = oneOf(providerTypes);
export type ProviderType = (typeof providerTypes)[number];

export const Provider = closed({
  id: Id,
  name: Type.String(),
  type: ProviderType,
  base_url: Type.String(),
  has_key: Type.Boolean({ description: "the only statement ever made about the key" }),
});
export type Provider = Static<typeof Provider>;

export const EXAMPLE_PROVIDER_NAME = "Built-in example";
export const EXAMPLE_MODEL_NAME = "example";
export const EXAMPLE_MODEL_LABEL = "Built-in example (not a model)";

const BaseUrl = judgedText(
  { maxLength: BASE_URL_CHARACTERS_MAX },
  {
    description:
      "absolute http or https address without credentials, query or fragment. Empty: the type's default address, if it has one",
  },
);
const ApiKey = judgedText(
  { maxLength: API_KEY_CHARACTERS_MAX },
  { description: "printable ASCII without spaces; empty: no key. Never returned" },
);

export const CreateProvider = closed({
  name: GivenName,
  type: ProviderType,
  base_url: Type.Optional(BaseUrl),
  api_key: Type.Optional(ApiKey),
});
export type CreateProvider = Static<typeof CreateProvider>;

/** The type cannot change, because it determines the protocol of the provider's models. */
export const UpdateProvider = closed({
  name: Type.Optional(GivenName),
  base_url: Type.Optional(BaseUrl),
  api_key: Type.Optional(ApiKey),
});
export type UpdateProvider = Static<typeof UpdateProvider>;

/** The result of asking the provider for its models; a failure is a result too. */
export const ProviderTest = closed({
  ok: Type.Boolean(),
  models: Type.Array(Type.String()),
  status: nullable(Type.Integer({ description: "the provider's HTTP status; null when it did not answer" })),
  message: Type.String(),
});
export type ProviderTest = Static<typeof ProviderTest>;

const TOKENS = { minimum: 1, maximum: CONTEXT_TOKENS_MAX };
const Tokens = nullable(judgedNumber(TOKENS, { whole: true, description: "null: unknown" }));
const OutputTokens = nullable(
  judgedNumber(TOKENS, {
    whole: true,
    description: "the most tokens in one answer; null: the provider's limit for the model",
  }),
);
const Price = nullable(
  judgedNumber(
    { minimum: 0, maximum: PRICE_PER_MILLION_TOKENS_MAX },
    { whole: false, description: "per million tokens; null: unknown, which is not free" },
  ),
);

const Reads = (what: string) =>
  nullable(
    Type.Boolean({
      description: `the model reads ${what}; null: as its name and protocol suggest, and no longer once its provider has refused them`,
    }),
  );

export const Model = closed({
  id: Id,
  provider_id: Id,
  provider_name: Type.String(),
  provider_type: ProviderType,
  model_name: Type.String({ description: "the provider's name for the model" }),
  label: Type.String({ description: "the name shown to people" }),
  distinct_label: Type.String({
    description:
      "the label; with the provider in parentheses if several models have it, and then the provider's name for the model",
  }),
  context_tokens: Tokens,
  output_tokens: OutputTokens,
  input_price: Price,
  cached_input_price: Price,
  output_price: Price,
  images: Reads("images"),
  pdfs: Reads("PDFs as they are"),
  /** The abilities that follow from all of this. A PDF is sent as its text to a model that does not accept PDFs. */
  accepts: closed({ images: Type.Boolean(), pdfs: Type.Boolean() }),
});
export type Model = Static<typeof Model>;

const figures = {
  context_tokens: Type.Optional(Tokens),
  output_tokens: Type.Optional(OutputTokens),
  input_price: Type.Optional(Price),
  cached_input_price: Type.Optional(Price),
  output_price: Type.Optional(Price),
  images: Type.Optional(Reads("images")),
  pdfs: Type.Optional(Reads("PDFs as they are")),
};
const ModelName = judgedText({ minLength: 1, maxLength: MODEL_NAME_CHARACTERS_MAX });
const Label = judgedText(
  { maxLength: MODEL_NAME_CHARACTERS_MAX },
  { description: "empty: the model's name" },
);

export const CreateModel = closed({
  provider_id: Id,
  model_name: ModelName,
  label: Type.Optional(Label),
  ...figures,
});
export type CreateModel = Static<typeof CreateModel>;

/** An absent field is unchanged; null makes a figure unknown. */
export const UpdateModel = closed({
  model_name: Type.Optional(ModelName),
  label: Type.Optional(Label),
  ...figures,
});
export type UpdateModel = Static<typeof UpdateModel>;
