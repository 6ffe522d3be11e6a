// The messages between the interface and the page that draws diagrams.

export interface DrawingRequest {
  readonly id: number;
  readonly source: string;
  /** Of the theme, by the drawing library's names. */
  readonly colours: Readonly<Record<string, string>>;
}

export type Drawing = { readonly id: number } & (
  | { readonly markup: string; readonly css: string; readonly width: number; readonly height: number }
  /** Why there is none. */
  | { readonly why: string }
);
