// Breaks what other bots read as a command in a comment: the words still read the same, and no bot obeys them.
import { findPipedDownload } from '../../reviewers/rules/piped-downloads.ts'

/** U+2060: invisible, no blank for any language's `\s`, and so part of whatever word it stands in. */
export const wordJoiner = '\u2060'

/** What may stand before the first word of a line: blanks, quotes, list items, emphasis. */
const lineStart = String.raw`^(?:[^\S\n]|[>*+_~\x60"'-]|\d{1,9}[.)][^\S\n])*`

/** Accounts that act when they are named. In prose every mention is broken: these are broken in code too. */
const bots =
  `allcontributors ansibot azure-pipelines bedevere-bot bors bors-servo bugbot claude codecov coderabbitai
  codex codiumai-pr-agent conda-forge-admin copilot cursor cursoragent dependabot dependabot-preview devin-ai-integration
  elasticmachine ellipsis-dev flinkbot gemini-code-assist googlebot greptile greptileai
  homu jules k8s-ci-robot kibanamachine kodiakhq meeseeksdev mergify mergifyio ofborg openhands-agent openshift-ci-robot
  pytorchbot pytorchmergebot qodo-merge renovate renovatebot rust-timer rustbot seer sentry sourcery-ai sweep-ai swift-ci
  tensorflow-jenkins`.replace(/\s+/g, '|')

const verbs =
  `r[+=-]|p=|try|retry|merge|squash|rebase|recreate|queue|requeue|backport|approve|lgtm|delegate
  |d[+=]|ship|test|retest|run|rerun|build|rebuild|fix|implement|review|close|reopen|please|ignore|update|refresh
  |cancel`.replace(/\s+/g, '')

/** Tags of documentation and rules of style sheets, which are followed by words that mean nothing to a bot. */
const tags =
  'param|returns?|throws?|exception|deprecated|see|default|defaultValue|example|since|type|typedef|property|prop|arg' +
  '|yields?|link|todo|note|brief|media|import|include|extend|apply|use|layer|supports|keyframes|override|test'

/**
 * What a bot obeys wherever it stands, each from its first word on. Jenkins' phrases match whatever stands between their
 * words, and homu reads a line from its own name on: a character before or between the words would not do.
 */
const phrases: readonly RegExp[] = [
  // homu, bors, Dependabot, Mergify, Renovate, assistants
  new RegExp(String.raw`(?<![\w.])@(?:${bots})(?![\w-])`, 'gi'),
  new RegExp(
    String.raw`(?<![\w.])@(?!(?:${tags})\b)[\w-]{1,60}[,:]?[^\S\n]+(?:${verbs})(?![\w(.=])`,
    'gi',
  ),
  // Jenkins' ghprb, and what projects set for it
  /\bok\W+to\W+test\b/gi,
  /test\W+this\W+please\b|(?<=\bre-?)test\W+this\b|\bjenkins\b\W{1,5}(?:re)?test\b/gi,
  /\badd\W+(?:author\W+)?to\W+whitelist\b/gi,
  /\bskip\W+ci\b|\bci\W+skip\b/gi,
  // Gates that count approvals in comments
  /\blgtm\b/gi,
  // triagebot, highfive
  /\br\?(?=\s+@?[\w/-])/gi,
  // Renovate's boxes, in code
  /\[[ x]\](?=\s*<!--)/gi,
  // CLA assistant, bedevere
  /\bI have read the CLA\b|\bI have made the requested changes\b/gi,
  // Cloud Build
  /\/gcbrun\b/gi,
]

/** What a bot obeys at the beginning of a line. */
const firstWords: readonly RegExp[] = [
  // bors-ng
  String.raw`bors(?:-ng)?\b`,
  // Atlantis, Digger, Terrateam
  String.raw`(?:atlantis|digger|terrateam|run)[^\S\n]+(?:plan|apply|unlock|import|state|approve_policies|destroy)\b`,
  // Zuul
  String.raw`(?:recheck|reverify|regate)\b|check[^\S\n]+experimental\b`,
  // Pipelines, and bots that are called by a word
  String.raw`(?:re-?)?run[^\S\n]+(?:ci|all|full|tests?|builds?|checks?|pipelines?|e2e|azure|\w+[^\S\n]+(?:pre|post)commit)\b`,
  String.raw`(?:please|jenkins|buildbot|bugbot|cursor|bot|ci|AzurePipelines|pre-commit\.ci)[,:]?[^\S\n]+(?:${verbs}|autofix)(?![\w(.=])`,
  // Votes
  String.raw`(?:\+1|:\+1:|👍|:shipit:|ship[^\S\n]?it|sgtm|approved?|retest|rerun|rebuild|rebase!?)[^\S\n]*[.!]?[^\S\n]*$`,
].map((words) => new RegExp(`(${lineStart})(${words})`, 'gimu'))

/**
 * Returns the text with a hidden character in each command to a bot: Prow, bors, Jenkins, Zuul, Atlantis,
 * assistants. A command that runs what it downloads gets one in its first word, so that no shell finds it when somebody
 * copies it. What comes out comes out the same a second time.
 */
export function breakCommands(text: string): string {
  let broken = text
    .replace(/^([^\S\n]*\/)(?=[a-z][\w-]*(?:\s|$))/gim, `$1${wordJoiner}`)
    .replace(/^([^\S\n]*@)(?=[\w/-]+[^\S\n]+[a-z])/gim, `$1${wordJoiner}`)
  for (const phrase of phrases) broken = broken.replace(phrase, breakWord)
  for (const words of firstWords)
    broken = broken.replace(
      words,
      (_, start: string, command: string) => start + breakWord(command),
    )
  return breakDownloads(broken)
}

/** A comment of ours is far shorter than so many commands. */
const maxDownloads = 200

function breakDownloads(text: string): string {
  let broken = text
  for (let round = 0; round < maxDownloads; round++) {
    const found = findPipedDownload(broken)
    if (!found) return broken
    broken = broken.slice(0, found.index) + breakWord(broken.slice(found.index))
  }
  return broken
}

/** Puts the hidden character behind the first one: a word with it inside is no longer that word. */
function breakWord(text: string): string {
  const [first = ''] = text
  return first + wordJoiner + text.slice(first.length)
}
