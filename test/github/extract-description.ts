// Extracts from GitHub's published OpenAPI description what Umpire uses of its API. The package has
// 400 MB. Run `node test/github/extract-description.ts` after a change of the version.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const version = '23.0.2'
const file = 'package/generated/api.github.com.json'
const licenseFile = 'package/LICENSE'

const repository = [
  '',
  '/actions/artifacts/{artifact_id}/{archive_format}',
  '/actions/runs',
  '/actions/runs/{run_id}/artifacts',
  '/branches',
  '/check-runs',
  '/check-runs/{check_run_id}',
  '/check-runs/{check_run_id}/annotations',
  '/check-runs/{check_run_id}/rerequest',
  '/check-suites/{check_suite_id}',
  '/check-suites/{check_suite_id}/rerequest',
  '/code-scanning/analyses',
  '/code-scanning/analyses/{analysis_id}',
  '/collaborators/{username}/permission',
  '/commits',
  '/commits/{ref}',
  '/commits/{ref}/check-runs',
  '/commits/{ref}/status',
  '/commits/{ref}/statuses',
  '/compare/{basehead}',
  '/contents/{path}',
  '/git/commits/{commit_sha}',
  '/git/trees/{tree_sha}',
  '/hooks',
  '/hooks/{hook_id}',
  '/hooks/{hook_id}/config',
  '/hooks/{hook_id}/deliveries',
  '/hooks/{hook_id}/deliveries/{delivery_id}',
  '/hooks/{hook_id}/deliveries/{delivery_id}/attempts',
  '/installation',
  '/issues',
  '/issues/comments',
  '/issues/comments/{comment_id}',
  '/issues/comments/{comment_id}/reactions',
  '/issues/comments/{comment_id}/reactions/{reaction_id}',
  '/issues/{issue_number}',
  '/issues/{issue_number}/comments',
  '/issues/{issue_number}/labels',
  '/issues/{issue_number}/labels/{name}',
  '/labels',
  '/languages',
  '/pulls',
  '/pulls/comments',
  '/pulls/comments/{comment_id}',
  '/pulls/comments/{comment_id}/reactions',
  '/pulls/comments/{comment_id}/reactions/{reaction_id}',
  '/pulls/{pull_number}',
  '/pulls/{pull_number}/comments',
  '/pulls/{pull_number}/comments/{comment_id}/replies',
  '/pulls/{pull_number}/commits',
  '/pulls/{pull_number}/files',
  '/pulls/{pull_number}/merge',
  '/pulls/{pull_number}/requested_reviewers',
  '/pulls/{pull_number}/reviews',
  '/pulls/{pull_number}/reviews/{review_id}',
  '/pulls/{pull_number}/reviews/{review_id}/comments',
  '/pulls/{pull_number}/reviews/{review_id}/dismissals',
  '/stats/contributors',
  '/statuses/{sha}',
]

const paths = [
  '/app',
  '/app-manifests/{code}/conversions',
  '/app/hook/config',
  '/app/hook/deliveries',
  '/app/hook/deliveries/{delivery_id}',
  '/app/hook/deliveries/{delivery_id}/attempts',
  '/app/installations',
  '/app/installations/{installation_id}',
  '/app/installations/{installation_id}/access_tokens',
  '/app/installations/{installation_id}/suspended',
  '/apps/{app_slug}',
  '/installation/repositories',
  '/installation/token',
  '/orgs/{org}/installation',
  '/rate_limit',
  '/user',
  '/user/installations',
  '/user/installations/{installation_id}/repositories',
  '/user/repos',
  '/users/{username}',
  '/users/{username}/installation',
  ...repository.map((path) => `/repos/{owner}/{repo}${path}`),
]

type Json = Record<string, unknown>

/** What only people read; it would make the extract ten times as large. */
const omitted = new Set([
  ...['description', 'example', 'examples', 'externalDocs', 'summary', 'tags', 'title'],
  ...['deprecated', 'operationId', 'x-github', 'x-multi-segment'],
])

/** Omits texts, but no property of that name: those have an object as value. */
function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key, inner]) => !omitted.has(key) || isSchema(inner))
  return Object.fromEntries(kept.map(([key, inner]) => [key, strip(inner)]))
}

const isSchema = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  ['type', '$ref', 'oneOf', 'anyOf', 'allOf', 'properties'].some((key) => Object.hasOwn(value, key))

/** Returns the whole description, as GitHub publishes it, and its license. */
function download(): { description: Json; license: string } {
  const folder = mkdtempSync(join(tmpdir(), 'github-description-'))
  try {
    const name = `@octokit/openapi@${version}`
    const options = { cwd: folder, maxBuffer: 1 << 30 }
    execFileSync('npm', ['pack', name, '--silent'], options)
    execFileSync('tar', ['xzf', `octokit-openapi-${version}.tgz`, file, licenseFile], options)
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    return { description: JSON.parse(read(file)) as Json, license: read(licenseFile) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Extracts the paths and all components that they refer to. */
function extract(description: Json): Json {
  const all = description.paths as Record<string, Record<string, Json>>
  const components: Record<string, Json> = {}
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string') {
      const [, , kind, name] = $ref.split('/') as [string, string, string, string]
      components[kind] ??= {}
      if (!Object.hasOwn(components[kind], name)) {
        components[kind][name] = strip(
          (description.components as Record<string, Json>)[kind]![name],
        )
        follow(components[kind][name])
      }
    }
    for (const inner of Object.values(value)) follow(inner)
  }
  const kept = paths.map((path) => {
    if (all[path] === undefined) throw new Error(`The description has no ${path}.`)
    const methods = Object.entries(all[path]).map(([method, operation]) => {
      const { parameters, requestBody, responses } = operation
      return [method, strip({ parameters, requestBody, responses })]
    })
    return [path, Object.fromEntries(methods)]
  })
  follow(kept)
  return { source, paths: Object.fromEntries(kept), components }
}

const source = `@octokit/openapi ${version}, from GitHub's rest-api-description (MIT License)`
const { description, license } = download()
const write = (name: string, text: string) =>
  writeFileSync(new URL(`../fixtures/${name}`, import.meta.url), `${text.trimEnd()}\n`)
write('github-api.json', JSON.stringify(extract(description), null, 1))
write('github-api-license.txt', `github-api.json is an extract of ${source}:\n\n${license}`)
