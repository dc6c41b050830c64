// The little of WebAssembly that is used: TypeScript tells of it only together with all of a browser.
declare namespace WebAssembly {
  /** Sizes are in pages of 64 KB. */
  class Memory {
    constructor(size: { readonly initial: number; readonly maximum: number })
    readonly buffer: ArrayBuffer
  }
}
