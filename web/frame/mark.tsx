// The mark of the product: three stones.

import type { JSX } from "solid-js";

export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      <ellipse cx="12" cy="19" rx="9" ry="3.3" />
      <ellipse cx="12.6" cy="12.6" rx="6.2" ry="2.7" opacity=".8" />
      <ellipse cx="11.6" cy="7.2" rx="3.7" ry="2.1" opacity=".6" />
    </svg>
  );
}
