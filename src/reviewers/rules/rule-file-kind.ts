// Determines from the path of a file which syntax rules apply to it.
import { extname } from 'node:path'
import { javascriptFamily, type RuleLanguage } from './rule.ts'

/** A language that the syntax rules support, or a workflow file of GitHub, Gitea or Forgejo. */
type RuleFileKind = RuleLanguage | 'workflow'

const languages: Readonly<Record<string, RuleLanguage>> = {
  '.js': 'javascript',
  '.jsx': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'tsx',
  '.py': 'python',
  '.go': 'go',
  '.java': 'java',
  // Jest evaluates its snapshots.
  '.snap': 'javascript',
}

/** Returns undefined for files whose syntax no rule reads. */
export function ruleFileKindOf(path: string): RuleFileKind | undefined {
  if (/^\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$/.test(path)) return 'workflow'
  return languages[extname(path).toLowerCase()]
}

/** Whether files of this kind contain JavaScript or TypeScript. */
export function isScript(kind: RuleFileKind): boolean {
  return kind !== 'workflow' && javascriptFamily.includes(kind)
}
