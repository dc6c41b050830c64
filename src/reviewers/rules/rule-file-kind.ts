// Determines from the path of a file which syntax rules apply to it.
import { checkedLanguageOfPath, searchedLanguageOfPath } from '../../languages/index.ts'

/** It is the name of a grammar, or `workflow` for a workflow file of GitHub, Gitea or Forgejo. */
type RuleFileKind = string

/** Returns undefined for files whose syntax no rule reads. */
export function ruleFileKindOf(path: string): RuleFileKind | undefined {
  if (/^\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$/.test(path)) return 'workflow'
  return (checkedLanguageOfPath(path) ?? searchedLanguageOfPath(path))?.grammar.name
}
