// The worst that a caller can ask of a conversation: its messages, its branches and its attachments.

import {
  ATTACHMENT_BYTES_MAX,
  IMAGE_BYTES_MAX,
  TEXT_BYTES_MAX,
} from "../../../src/service/attachments/schema.ts";
import { CHAT_CHARACTERS_MAX } from "../../../src/service/turns/schema.ts";
import { uploading } from "../../kit/service/attaching.ts";
import { pdf, png } from "../../kit/service/sample-files.ts";
import { asks, get, own, type ServiceCase } from "./service-asks.ts";

/** More only keep the worker busy for longer. */
const PDF_PAGES = 60;
let attempts = 0;
const fresh = () => `${(attempts += 1)}`;
const largeImage = (salt: string) =>
  Buffer.concat([png(8_000, 1, salt), Buffer.alloc(IMAGE_BYTES_MAX - 300)]);

/** As large as an image may be. */
export const PICTURE = largeImage("");

const upload =
  (content: () => Uint8Array | string, status: number): ServiceCase =>
  async (service) => {
    const answer = await uploading(service.admin, own("")(service), content(), "worst");
    if (answer.status !== status) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
  };

const longPdf = () =>
  pdf(
    ...Array.from({ length: PDF_PAGES }, (_, page) => `${fresh()} on page ${page} ${"heron ".repeat(400)}`),
  );

export const MESSAGE_ROWS: Readonly<Record<string, Readonly<Record<string, ServiceCase>>>> = {
  "GET /workspaces/{id}/entries": {
    "the newest of many": get(own("/entries?limit=50")),
    "long messages": get(({ longId }) => `/workspaces/${longId}/entries?limit=500`),
  },
  "GET /workspaces/{id}/branches": { "a long conversation": get(own("/branches")) },
  "PUT /workspaces/{id}/branch": {
    "a long conversation, aside and back": async (service) => {
      for (const turn_id of [service.forkId, service.turnId])
        await asks("PUT", own("/branch"), 200, () => ({ turn_id }))(service);
    },
  },
  "POST /workspaces/{id}/chat": {
    "with as many bytes as a message may have": async (service) => {
      const attachments = Array.from({ length: 5 }, () => ({ hash: service.attachedHash }));
      await asks("POST", own("/chat"), 202, () => ({ text: "", attachments, queue: true }))(service);
    },
    "one word as long as a message may be": asks("POST", own("/chat"), 202, () => ({
      text: "a".repeat(CHAT_CHARACTERS_MAX),
      queue: true,
    })),
    "with agents whose roles are as long as they may be together": asks(
      "POST",
      ({ crowdedId }) => `/workspaces/${crowdedId}/chat`,
      202,
      () => ({ text: "a", queue: true }),
    ),
  },
  "PUT /workspaces/{id}/attachments": {
    "a PDF of many pages": upload(longPdf, 201),
    "an image as large as it may be": upload(() => largeImage(fresh()), 201),
    "as many bytes as are read, of no known type": upload(
      () => Buffer.alloc(ATTACHMENT_BYTES_MAX, 0xff),
      415,
    ),
    "a text as large as it may be": upload(() => `${fresh()} `.padEnd(TEXT_BYTES_MAX, "a"), 201),
  },
  "GET /workspaces/{id}/attachments/{hash}": {
    "as large as it may be": async (service) => {
      const path = `${own("/attachments")(service)}/${service.attachedHash}`;
      const answer = await service.admin.raw("GET", path);
      if ((await answer.bytes()).length !== PICTURE.length) throw new Error(`not the file: ${answer.status}`);
    },
  },
};
