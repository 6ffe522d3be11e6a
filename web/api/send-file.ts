// Sends a file as it is, by PUT: the server takes only JSON by POST. The typed client knows JSON bodies only.

import { hearNothing, hearStatus } from "./client.ts";
import { bodyOf, refusalOf } from "./problem.ts";

/** Returns the JSON of the answer. Raises `Problem`. */
export async function sendFile<T>(path: string, type: string, file: Blob): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: "PUT",
      credentials: "same-origin",
      headers: { "Content-Type": type },
      body: file,
    });
  } catch {
    throw hearNothing();
  }
  hearStatus(response.status);
  const body = await bodyOf(response);
  if (!response.ok) throw refusalOf(response.status, body);
  return body as T;
}
