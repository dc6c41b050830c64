// What a manifest says of the package that it stands for.

export interface ProjectManifest {
  readonly path: string
  /** How packages of its kind are called: `npm package`, `Go module`, … */
  readonly kind: string
  /** Null where it gives none. */
  readonly name: string | null
  readonly description: string | null
  readonly license: string | null
  /** Names only. */
  readonly dependencies: readonly string[]
  /** Commands by the name under which they are run, ready to be typed. */
  readonly commands: readonly Command[]
  /** Paths as written, relative to the manifest. */
  readonly entryPoints: readonly string[]
}

export interface Command {
  /** As typed: `npm run build`. */
  readonly commandLine: string
  /** What it runs; empty where that isn't said. */
  readonly script: string
}

/** What one format says; what it doesn't say is left out. */
export type ManifestParts = Partial<Omit<ProjectManifest, 'path' | 'kind'>>

/** A reader of one format. Bounded time for any text; never throws for what is malformed. */
export type ManifestReader = (text: string, name: string) => ManifestParts

/** Most of what is taken over from one. */
export const maxDependencies = 1_000
export const maxCommands = 40
