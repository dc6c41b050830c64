// Tells from its path which rules on syntax look at a file.
import { extname } from 'node:path'
import { javascriptFamily, type RuleLanguage } from './rule.ts'

/** A language whose syntax the rules know, or a workflow file of the platform's CI. */
export type RuleFileKind = RuleLanguage | 'workflow'

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

/** The kind of a file; undefined where no rule reads its syntax. */
export function ruleFileKindOf(path: string): RuleFileKind | undefined {
  if (/^\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$/.test(path)) return 'workflow'
  return languages[extname(path).toLowerCase()]
}

/** Whether a file is JavaScript or TypeScript. */
export function isScript(kind: RuleFileKind): boolean {
  return kind !== 'workflow' && javascriptFamily.includes(kind)
}
