// Reads the file in which operators configure additional context sources.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { contextSourceKinds } from '../../contract/enums.ts'
import { parseJson } from '../../lib/parse-json.ts'
import {
  type ContextSourceConfig,
  defaultSourceTimeoutMs,
  type SourceServer,
} from './source-config.ts'

const toolName = z.string().regex(/^[\w.-]{1,128}$/, 'must be the name of a tool')
const toolUse = z.strictObject({
  tools: z.array(toolName).min(1).max(10),
  arguments: z.record(z.string().max(100), z.unknown()),
})
const texts = z.record(z.string().max(200), z.string().max(10_000))
const common = {
  name: z
    .string()
    .regex(/^[a-z][a-z\d_-]{0,31}$/, 'must be lower-case letters, digits, - and _, 32 at most'),
  kind: z.enum(contextSourceKinds),
  look_up: toolUse.optional(),
  search: toolUse.optional(),
  search_symbols: toolUse.optional(),
  pins: z
    .record(toolName, z.string().regex(/^sha256:[\da-f]{64}$/, 'must be sha256:<64 hex digits>'))
    .default({}),
  timeout_seconds: z
    .int()
    .min(1)
    .max(60)
    .default(defaultSourceTimeoutMs / 1000),
  repositories: z.array(z.string().min(1).max(200)).min(1).default(['**']),
  public_repositories: z.boolean().default(false),
  fork_pull_requests: z.boolean().default(false),
  link_hosts: z
    .array(z.string().regex(/^(\*\.)?[a-z\d.-]+$/, 'must be names of hosts'))
    .default([]),
  link: z
    .url({ protocol: /^https?$/ })
    .max(400)
    .includes('{key}', 'must hold {key}')
    .optional(),
}
const sourcesFile = z.strictObject({
  sources: z
    .array(
      z.union([
        z.strictObject({
          ...common,
          url: z.url({
            protocol: /^https?$/,
            error: 'must be an http or https address, or command a program',
          }),
          headers: texts.default({}),
        }),
        z.strictObject({
          ...common,
          command: z.string().min(1).max(1000),
          args: z.array(z.string().max(10_000)).max(100).default([]),
          env: texts.default({}),
        }),
      ]),
    )
    .max(20),
})
type SourceEntry = z.output<typeof sourcesFile>['sources'][number]

/** Reads the file at `path`. Adds what is wrong with it to `problems`. */
export function readSourcesFile(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): ContextSourceConfig[] {
  const text = readTextFile(path)
  if (text === null) {
    problems.push("CONTEXT_SOURCES can't be read: it must be the path of a file")
    return []
  }
  const json = parseJson(text)
  if (json === undefined) {
    problems.push('CONTEXT_SOURCES: the file is no JSON')
    return []
  }
  const parsed = sourcesFile.safeParse(json)
  if (!parsed.success) {
    const messages = parsed.error.issues.flatMap(describeIssue).slice(0, 10)
    problems.push(...messages.map((message) => `CONTEXT_SOURCES: ${message}`))
    return []
  }
  return parsed.data.sources.map((entry) => {
    problems.push(...findEntryProblems(entry))
    const secrets = 'headers' in entry ? listCredentials(entry.headers) : []
    const fill = (value: string) =>
      fillVariables(value, environment, { source: entry.name, problems, secrets })
    return toConfig(entry, fill, secrets)
  })
}

function findEntryProblems({
  name,
  kind,
  look_up: lookUp,
  search,
  search_symbols: searchSymbols,
}: SourceEntry): string[] {
  const problems: string[] = []
  if (lookUp === undefined && search === undefined && searchSymbols === undefined)
    problems.push(`CONTEXT_SOURCES: ${name} needs look_up or search`)
  if (searchSymbols !== undefined && kind !== 'errors')
    problems.push(`CONTEXT_SOURCES: ${name} has search_symbols, which is for the kind errors`)
  return problems
}

/** For a source that matches neither form, describes the mismatch with the closer one. */
function describeIssue(issue: z.core.$ZodIssue): string[] {
  const issuesPerForm = issue.code === 'invalid_union' ? issue.errors : []
  const closest = issuesPerForm.toSorted((a, b) => a.length - b.length)[0]
  if (closest === undefined) return [`${issue.path.join('.') || 'the file'}: ${issue.message}`]
  return closest.map(({ path, message }) => `${[...issue.path, ...path].join('.')}: ${message}`)
}

function toConfig(
  // Filling in adds the values of variables to `secrets`, which is read afterwards.
  entry: SourceEntry,
  fill: (value: string) => string,
  secrets: readonly string[],
): ContextSourceConfig {
  const fillAll = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]))
  const server: SourceServer =
    'url' in entry
      ? { url: entry.url, headers: fillAll(entry.headers) }
      : { command: entry.command, args: entry.args.map(fill), env: fillAll(entry.env) }
  return {
    name: entry.name,
    kind: entry.kind,
    server,
    secrets,
    lookUp: entry.look_up ?? null,
    search: entry.search ?? null,
    searchSymbols: entry.search_symbols ?? null,
    pins: entry.pins,
    timeoutMs: entry.timeout_seconds * 1000,
    repositories: entry.repositories,
    publicRepositories: entry.public_repositories,
    forkPullRequests: entry.fork_pull_requests,
    linkHosts: [...entry.link_hosts, ...('url' in entry ? [new URL(entry.url).hostname] : [])],
    link: entry.link ?? null,
  }
}

/** Returns credentials that are in the file itself, instead of in variables. */
function listCredentials(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(headers).filter(([name]) =>
    /authorization|token|key|secret|cookie/i.test(name),
  )
  return values
    .filter(([, value]) => !value.includes('${'))
    .map(([, value]) => value.replace(/^\w+ /, ''))
}

/** Replaces `${NAME}` by variables, so that the file doesn't have to contain secrets. */
function fillVariables(
  value: string,
  environment: Readonly<Record<string, string | undefined>>,
  { source, problems, secrets }: { source: string; problems: string[]; secrets: string[] },
): string {
  return value.replace(/\$\{([A-Z_][A-Z\d_]*)\}/g, (_, name: string) => {
    const found = environment[name]
    if (found === undefined || found === '')
      problems.push(`CONTEXT_SOURCES: ${source} needs ${name}`)
    if (found) secrets.push(found)
    return found ?? ''
  })
}

function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
