// Loads parts of the page on demand, and explains when a part is gone or can't be reached.

/** After an upgrade, the service no longer has the parts of the page that was opened before. */
export class MissingPartError extends Error {
  constructor() {
    super('A part of the page could not be loaded')
    this.name = 'MissingPartError'
  }
}

/** Rejects with `MissingPartError`. Browsers don't request a part again until a reload. */
export function loadPart<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return () =>
    load().catch(() => {
      throw new MissingPartError()
    })
}
