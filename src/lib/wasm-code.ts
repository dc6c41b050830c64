// Keeps V8 from freeing WebAssembly code, which can end the process.
import { setFlagsFromString } from 'node:v8'

/**
 * Turns off the collection of replaced WebAssembly code for the whole process. Call it before the
 * first thread that runs WebAssembly.
 *
 * V8 13.6 (Node 24.21) can abort with `Check failed: jit_page_->allocations_.erase(addr) == 1` when
 * a call from WebAssembly to JavaScript is optimized and the code it replaces is freed. The
 * retained code is a few megabytes, and bounded: each function is compiled twice at most.
 */
export function retainWasmCode(): void {
  setFlagsFromString('--no-wasm-code-gc')
}
