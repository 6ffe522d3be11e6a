// The theme: light, dark, or the system's.

import { createEffect, createRoot } from "solid-js";
import { stored } from "../kit/storage.ts";

export type Theme = "system" | "light" | "dark";

export const [theme, setTheme] = stored<Theme>("theme", "system");

createRoot(() =>
  createEffect(() => {
    const root = document.documentElement;
    if (theme() === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = theme();
  }),
);
