// How long a key of `cairn ui` works, and how long the program goes on without use.

/** A person copies the address into a browser within this time. */
export const KEY_MINUTES = 5;
/** A forgotten terminal does not leave a way in open. */
export const IDLE_HOURS = 2;
