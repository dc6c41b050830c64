// Pins tools of context sources by fingerprint, to notice when a server changes them.
import { hash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'

/** Stores the fingerprints of tools that have none in the configuration (trust on first use). */
export interface PinStore {
  /** Reads the fingerprints by tool name. */
  read(source: string): Promise<Readonly<Record<string, string>>>
  /** Adds a fingerprint; never replaces one. */
  add(source: string, tool: string, fingerprint: string): Promise<void>
}

/** Makes a store that lasts as long as the process. */
export function createMemoryPinStore(): PinStore {
  const pins = new Map<string, Record<string, string>>()
  return {
    read: async (source) => pins.get(source) ?? {},
    async add(source, tool, fingerprint) {
      pins.set(source, { [tool]: fingerprint, ...pins.get(source) })
    },
  }
}

/** Hashes the name, descriptions and input of a tool, independent of the order of JSON keys. */
export function fingerprintTool({
  name,
  title,
  description,
  inputSchema,
  annotations,
}: Tool): string {
  const definition = stableJson({ name, title, description, inputSchema, annotations })
  return `sha256:${hash('sha256', definition)}`
}

function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
