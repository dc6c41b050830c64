// The used part of WebAssembly's types, which TypeScript only has together with a browser's.
declare namespace WebAssembly {
  /** Sizes are in pages of 64 KB. */
  class Memory {
    constructor(size: { readonly initial: number; readonly maximum: number })
    readonly buffer: ArrayBuffer
  }
}
