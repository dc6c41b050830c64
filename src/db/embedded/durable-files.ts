// Adds fsync to the file layer of the embedded engine, which has none.
import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The number of `EIO` in WASI, which the engine's C library uses. */
const wasiInputOutputError = 29

/** A file or folder that the engine opened on the real file system. */
interface OpenFile {
  nfd: number
}

/** The part of the engine's internal file layer that is patched. The engine's version is pinned. */
interface FileLayer {
  FS: { filesystems: { NODEFS: { stream_ops: { fsync?: (file: OpenFile) => number } } } }
}

export class DurableFiles extends NodeFS {
  /** How many times the engine has called fsync successfully. */
  syncs = 0
  readonly #onFailure: (error: Error) => void

  /**
   * @param onFailure is called when fsync fails; nothing may be written to the database afterwards
   */
  constructor(directory: string, onFailure: (error: Error) => void) {
    super(directory)
    this.#onFailure = onFailure
  }

  override async init(
    ...[engine, options]: Parameters<NodeFS['init']>
  ): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(engine as PGlite, options)
    const addSync = (module: FileLayer) => {
      module.FS.filesystems.NODEFS.stream_ops.fsync = (file) => this.#sync(file)
    }
    const preRun = [...((emscriptenOpts.preRun as unknown[]) ?? []), addSync] as never
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }

  #sync(file: OpenFile): number {
    try {
      // It throws for a missing descriptor, so that no sync is skipped silently.
      fsyncSync(file.nfd)
      this.syncs++
      return 0
    } catch (error) {
      this.#onFailure(error as Error)
      return wasiInputOutputError
    }
  }
}

/** Calls fsync for a folder and everything in it. */
export function syncFolder(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) syncFolder(path)
    else if (entry.isFile()) syncFile(path)
  }
  syncFile(directory)
}

/** Calls fsync for one file, or for the list of entries that a folder has. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
