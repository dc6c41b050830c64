// Determines from the path of a file which syntax rules apply to it.
import { extname } from 'node:path'
import { javascriptFamily, type RuleLanguage } from './rule.ts'

/** A language that the syntax rules support, or a workflow file of GitHub, Gitea or Forgejo. */
type RuleFileKind = RuleLanguage | 'workflow'

const extensions: Readonly<Record<RuleLanguage, readonly string[]>> = {
  // Jest evaluates its snapshots.
  javascript: ['.js', '.jsx', '.mjs', '.cjs', '.snap'],
  typescript: ['.ts', '.mts', '.cts'],
  tsx: ['.tsx'],
  python: ['.py'],
  go: ['.go'],
  java: ['.java'],
}

const languages = new Map(
  (Object.keys(extensions) as RuleLanguage[]).flatMap((language) =>
    extensions[language].map((extension) => [extension, language] as const),
  ),
)

/** Returns undefined for files whose syntax no rule reads. */
export function ruleFileKindOf(path: string): RuleFileKind | undefined {
  if (/^\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$/.test(path)) return 'workflow'
  return languages.get(extname(path).toLowerCase())
}

/** Whether files of this kind contain JavaScript or TypeScript. */
export function isScript(kind: RuleFileKind): boolean {
  return kind !== 'workflow' && javascriptFamily.includes(kind)
}
