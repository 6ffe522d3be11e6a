// The engines that spaces can be stored with: those that are in this program, and no others.

export interface EngineKind {
  readonly name: string;
  readonly description: string;
}

export const DEFAULT_ENGINE: EngineKind = {
  name: "sqlite",
  description: "embedded: one SQLite database in each space's folder, with the plain files beside it",
};

export const engineKinds: readonly EngineKind[] = [DEFAULT_ENGINE];
