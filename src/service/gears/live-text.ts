// Decodes the live output of a running gear to text, in whole characters and up to the limit of the run's record.

import { OUTPUT_BYTES_KEPT_MAX } from "../sandbox/sandbox.ts";

type Stream = "stdout" | "stderr";

class StreamText {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #room = OUTPUT_BYTES_KEPT_MAX;

  add(chunk: Uint8Array): string {
    if (this.#room === 0) return "";
    const kept = chunk.subarray(0, this.#room);
    this.#room -= kept.byteLength;
    return this.#decoder.decode(kept, { stream: true });
  }

  /** Flushes an incomplete character. */
  end(): string {
    return this.#room === 0 ? "" : this.#decoder.decode();
  }
}

export class LiveText {
  readonly #output: (stream: Stream, text: string) => void;
  readonly #streams = { stdout: new StreamText(), stderr: new StreamText() };

  constructor(output: (stream: Stream, text: string) => void) {
    this.#output = output;
  }

  readonly add = (stream: Stream, chunk: Uint8Array): void => {
    const text = this.#streams[stream].add(chunk);
    if (text !== "") this.#output(stream, text);
  };

  end(): void {
    for (const stream of ["stdout", "stderr"] as const) {
      const text = this.#streams[stream].end();
      if (text !== "") this.#output(stream, text);
    }
  }
}
