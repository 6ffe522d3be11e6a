// Uploads of attachments as clients send them: the bytes are the body.

import type { Attachment } from "../../../src/service/attachments/schema.ts";
import type { Client } from "../http/client.ts";
import { fetchWithin, textWithin } from "../http/fetch-within.ts";

type UploadPlace = { readonly own: string; readonly admin: Client };

/** The answer as it is. */
export function uploading(
  client: Client & { readonly token?: string },
  own: string,
  content: Uint8Array | string,
  name?: string,
): Promise<Response> {
  const query = name === undefined ? "" : `?name=${encodeURIComponent(name)}`;
  return fetchWithin(`${client.url}/api/v1${own}/attachments${query}`, {
    method: "PUT",
    body: content as Uint8Array<ArrayBuffer>,
    headers: client.token === undefined ? {} : { Authorization: `Bearer ${client.token}` },
  });
}

/** Raises when it is refused. */
export async function attach(
  { admin, own }: UploadPlace,
  content: Uint8Array | string,
  name?: string,
): Promise<Attachment> {
  const answer = await uploading(admin, own, content, name);
  const text = await textWithin(answer);
  if (!answer.ok) throw new Error(`upload: ${answer.status} ${text}`);
  return JSON.parse(text) as Attachment;
}
