// Whether a tool is still the one that was trusted: a server that changes what a tool is said to do may have changed hands.
import { createHash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'

/** Where the fingerprints of tools are kept that were met first without one in the configuration. */
export interface PinStore {
  /** By name of the tool. */
  read(source: string): Promise<Readonly<Record<string, string>>>
  /** Keeps one that isn't there yet. */
  add(source: string, tool: string, fingerprint: string): Promise<void>
}

/** Keeps them for as long as the process lives. */
export function createMemoryPinStore(): PinStore {
  const pins = new Map<string, Record<string, string>>()
  return {
    read: async (source) => pins.get(source) ?? {},
    async add(source, tool, fingerprint) {
      pins.set(source, { [tool]: fingerprint, ...pins.get(source) })
    },
  }
}

/** Of all that says what a tool does and takes, whatever the order of its parts. */
export function fingerprintTool({
  name,
  title,
  description,
  inputSchema,
  annotations,
}: Tool): string {
  const said = stableJson({ name, title, description, inputSchema, annotations })
  return `sha256:${createHash('sha256').update(said).digest('hex')}`
}

function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
