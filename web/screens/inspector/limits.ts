// Limits of the server that forms tell beforehand. Values of the schemas can't be imported into the page; tests compare them.

/** ROLE_CHARACTERS_MAX of the blueprint. */
export const ROLE_CHARACTERS = 100_000;
