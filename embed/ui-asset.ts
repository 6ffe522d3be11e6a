// One file of the browser interface as it is compiled in. The list of them, embed/ui/manifest.ts, is written by release/ui.ts.

export interface UiAsset {
  /** As in the address, with the leading slash. */
  readonly path: string;
  /** Stands for the content: the ETag. */
  readonly tag: string;
  /** The path at which the running program finds it. */
  readonly file: string;
  readonly br?: string;
  readonly gzip?: string;
  /** Of a page with a script of its own, which is served in a sandbox: the hash of that script. */
  readonly scriptHash?: string;
}
