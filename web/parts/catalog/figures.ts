// Converts sizes and prices of a model between input text and API values. Empty means unknown, which is neither 0 nor free.

import type { Model } from "../../../src/service/catalog/schema.ts";
import { fieldProblem } from "../../api/problem.ts";

export const figureFields = [
  "context_tokens",
  "output_tokens",
  "input_price",
  "cached_input_price",
  "output_price",
] as const;
export type FigureField = (typeof figureFields)[number];

/** Input texts. */
export type FigureTexts = Readonly<Record<FigureField, string>>;
type Figures = Pick<Model, FigureField>;

export const noFigures: FigureTexts = {
  context_tokens: "",
  output_tokens: "",
  input_price: "",
  cached_input_price: "",
  output_price: "",
};

export function textsOf(model: Figures): FigureTexts {
  const texts = figureFields.map((field) => [field, model[field] === null ? "" : String(model[field])]);
  return Object.fromEntries(texts) as Record<FigureField, string>;
}

/** An admin's setting of the inputs that a model reads; `default`: as its name, protocol and provider suggest. */
export type Ability = "default" | "yes" | "no";

const SAID: Readonly<Record<Ability, boolean | null>> = { default: null, yes: true, no: false };

function abilityOf(said: boolean | null): Ability {
  return said === null ? "default" : said ? "yes" : "no";
}

/** All texts of the model form. */
export interface ModelTexts extends FigureTexts {
  readonly images: Ability;
  readonly pdfs: Ability;
  readonly model_name: string;
  readonly label: string;
}

export function modelTextsOf(model: Model): ModelTexts {
  return {
    model_name: model.model_name,
    label: model.label,
    ...textsOf(model),
    images: abilityOf(model.images),
    pdfs: abilityOf(model.pdfs),
  };
}

/** Returns the edited fields only, so that someone else's changes to the others survive. Raises as `figuresOf`. */
export function changesOf(typed: ModelTexts, before: ModelTexts): Partial<Model> {
  const { model_name, label } = typed;
  const all = { model_name, label, ...figuresOf(typed), images: SAID[typed.images], pdfs: SAID[typed.pdfs] };
  return Object.fromEntries(
    Object.entries(all).filter(
      ([field]) => typed[field as keyof ModelTexts] !== before[field as keyof ModelTexts],
    ),
  );
}

/** 1,500 is 1500 to some and 1.5 to others; 0,125 is clear. */
const AMBIGUOUS = /^[1-9]\d{0,2}(?:,\d{3})+$/;

/** Raises `Problem` with the field. The server checks the limits. */
export function figuresOf(texts: FigureTexts): Figures {
  const figures = figureFields.map((field) => [field, figureOf(field, texts[field])]);
  return Object.fromEntries(figures) as Record<FigureField, number | null>;
}

function figureOf(field: FigureField, typed: string): number | null {
  const text = typed.trim();
  if (text === "") return null;
  const whole = field.endsWith("_tokens");
  if (!whole && AMBIGUOUS.test(text))
    throw fieldProblem(field, "A comma before three digits can mean two numbers. Write 1500 or 1.5.");
  // 200,000 and 200 000 are the same number; a price may be written 0,25.
  const plain = whole ? text.replace(/[\s,_.](?=\d{3}(?:\D|$))/g, "") : text.replace(",", ".");
  const fits = whole ? /^\d+$/.test(plain) : /^(?:\d+\.?\d*|\.\d+)$/.test(plain);
  if (fits) return Number(plain);
  const why = whole
    ? "Enter a whole number, or leave it empty if unknown."
    : "Enter a number such as 3 or 0.25, or leave it empty if unknown.";
  throw fieldProblem(field, why);
}
