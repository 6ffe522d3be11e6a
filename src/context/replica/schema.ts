// Words that the state of a copy stores.

/**
 * Why a missing side is not a delete: `joined`: the path was not synced before, because the copy has just joined or a rule changed. `restored`: the
 * server was restored from a backup, so it may show an earlier content.
 */
export type Fresh = "joined" | "restored";
