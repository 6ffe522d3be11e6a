// The text form of a head: `<epoch>.<seq>`.

import { AppError } from "../../kit/error.ts";
import type { Head } from "./engine.ts";

const SHAPE = /^([0-9a-f]{12})\.(0|[1-9][0-9]{0,15})$/;

export function headText({ epoch, seq }: Head): string {
  return `${epoch}.${seq}`;
}

/** Raises `invalid`. */
export function parseHead(field: string, text: string): Head {
  const match = SHAPE.exec(text);
  if (!match)
    throw new AppError("invalid", `${field}: expected a head, <epoch>.<seq>, as spaces and changes show it`);
  return { epoch: match[1]!, seq: Number(match[2]) };
}
