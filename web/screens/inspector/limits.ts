// Server limits that forms check in advance. The page cannot import schema values, so tests compare these with them.

/** ROLE_CHARACTERS_MAX of the blueprint. */
export const ROLE_CHARACTERS = 100_000;
