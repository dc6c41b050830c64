// Extracts from Gitea's published OpenAPI description the formats that the forge answers with. A
// server has the description at /swagger.v1.json, and the repository of Gitea has the license. Run
// `node test/gitea/extract-description.ts swagger.v1.json LICENSE` after a change of the version.
import { readFileSync, writeFileSync } from 'node:fs'

type Json = Record<string, unknown>

const wanted = [
  'ChangedFile',
  'CombinedStatus',
  'Comment',
  'Commit',
  'CommitStatus',
  'Compare',
  'ContentsResponse',
  'GitTreeResponse',
  'Hook',
  'Issue',
  'PullRequest',
  'PullReview',
  'PullReviewComment',
  'Reaction',
  'RepoCollaboratorPermission',
  'Repository',
  'SearchResults',
  'ServerVersion',
  'User',
]

const [descriptionFile, licenseFile] = process.argv.slice(2)
const description = JSON.parse(readFileSync(descriptionFile!, 'utf8')) as {
  info: { version: string }
  definitions: Record<string, Json>
}

/** Leaves out what isn't checked, such as texts for people. */
function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([key, inner]) =>
      !/^(x-go-.*|description|title|example)$/.test(key) || typeof inner === 'object',
  )
  return Object.fromEntries(kept.map(([key, inner]) => [key, strip(inner)]))
}

const definitions: Record<string, unknown> = {}
function follow(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { $ref } = value as { $ref?: unknown }
  if (typeof $ref === 'string') add($ref.split('/').at(-1)!)
  for (const inner of Object.values(value)) follow(inner)
}
function add(name: string): void {
  if (Object.hasOwn(definitions, name)) return
  definitions[name] = strip(description.definitions[name])
  follow(definitions[name])
}
for (const name of wanted) add(name)

const source = `the OpenAPI description of Gitea ${description.info.version} (MIT License)`
const write = (name: string, text: string) =>
  writeFileSync(new URL(`../fixtures/${name}`, import.meta.url), `${text.trimEnd()}\n`)
write('gitea-api.json', JSON.stringify({ source, definitions }, null, 1))
write(
  'gitea-api-license.txt',
  `gitea-api.json is an extract of ${source}:\n\n${readFileSync(licenseFile!, 'utf8')}`,
)
