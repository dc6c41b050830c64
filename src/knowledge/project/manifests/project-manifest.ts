// The contents of a package manifest, independent of its format.

export interface ProjectManifest {
  readonly path: string
  /** The kind is a name such as `npm package` or `Go module`. */
  readonly kind: string
  /** Null if the manifest has none. */
  readonly name: string | null
  readonly description: string | null
  readonly license: string | null
  /** Names without versions. */
  readonly dependencies: readonly string[]
  readonly commands: readonly Command[]
  /** Paths relative to the manifest, unchanged. */
  readonly entryPoints: readonly string[]
}

export interface Command {
  /** This is what a person types, for example `npm run build`. */
  readonly commandLine: string
  /** The script that the command runs; empty if unknown. */
  readonly script: string
}

/** The fields that a format has. */
export type ManifestParts = Partial<Omit<ProjectManifest, 'path' | 'kind'>>

/** Reads one format in bounded time, and never throws for malformed text. */
export type ManifestReader = (text: string, name: string) => ManifestParts

/** Further dependencies and commands of a manifest are ignored. */
export const maxDependencies = 1_000
export const maxCommands = 40
