// Files of the embedded engine that really reach the disk: the engine's own file layer has no fsync at all.
import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** Number of `EIO` in the engine's C library (WASI). */
const wasiInputOutputError = 29

/** A file or a folder; the engine opens both on the real file system. */
interface OpenFile {
  nfd: number
}

/** The part of the engine's file layer that is mended here. An internal: the version of the engine is pinned. */
interface FileLayer {
  FS: { filesystems: { NODEFS: { stream_ops: { fsync?: (file: OpenFile) => number } } } }
}

/** The folder of a database on the real file system, with fsync. */
export class DurableFiles extends NodeFS {
  /** How often the engine had something brought to the disk. */
  syncs = 0
  readonly #onFailure: (error: Error) => void

  /** @param onFailure is called when the disk refused; nothing may be written to the database any more */
  constructor(directory: string, onFailure: (error: Error) => void) {
    super(directory)
    this.#onFailure = onFailure
  }

  override async init(
    ...[engine, options]: Parameters<NodeFS['init']>
  ): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(engine as PGlite, options)
    const mend = (module: FileLayer) => {
      module.FS.filesystems.NODEFS.stream_ops.fsync = (file) => this.#sync(file)
    }
    const preRun = [...((emscriptenOpts.preRun as unknown[]) ?? []), mend] as never
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }

  #sync(file: OpenFile): number {
    try {
      // Without a descriptor it throws: nothing is skipped silently.
      fsyncSync(file.nfd)
      this.syncs++
      return 0
    } catch (error) {
      this.#onFailure(error as Error)
      return wasiInputOutputError
    }
  }
}

/** Brings a folder and all that is in it to the disk. */
export function syncFolder(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) syncFolder(path)
    else if (entry.isFile()) syncFile(path)
  }
  syncFile(directory)
}

/** Brings one file, or the entries of one folder, to the disk. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
