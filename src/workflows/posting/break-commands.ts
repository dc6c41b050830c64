// Breaks commands to other bots in a comment: the text reads the same, and no bot acts on it.
import { findPipedDownload } from '../../code/piped-downloads.ts'

/** U+2060 is invisible and isn't matched by `\s`, so it becomes a part of the word it is put in. */
export const wordJoiner = '\u2060'

/** Blanks, quotes, list items and emphasis may come before the first word of a line. */
const lineStart = String.raw`^(?:[^\S\n]|[>*+_~\x60"'-]|\d{1,9}[.)][^\S\n])*`

/** These accounts act when they are mentioned, in code too. In prose every mention is broken. */
const bots = `allcontributors ansibot azure-pipelines bedevere-bot bors bors-servo bugbot
  claude codecov coderabbitai codex codiumai-pr-agent conda-forge-admin copilot cursor
  cursoragent dependabot dependabot-preview devin-ai-integration elasticmachine ellipsis-dev
  flinkbot gemini-code-assist googlebot greptile greptileai homu jules k8s-ci-robot
  kibanamachine kodiakhq meeseeksdev mergify mergifyio ofborg openhands-agent openshift-ci-robot
  pytorchbot pytorchmergebot qodo-merge renovate renovatebot rust-timer rustbot seer sentry
  sourcery-ai sweep-ai swift-ci tensorflow-jenkins`.replace(/\s+/g, '|')

const verbs = `r[+=-] p= try retry merge squash rebase recreate queue requeue backport approve
  lgtm delegate d[+=] ship test retest run rerun build rebuild fix implement review close reopen
  please ignore update refresh cancel`.replace(/\s+/g, '|')

/** Documentation tags and style sheet rules look like mentions, but aren't commands to a bot. */
const tags =
  'param|returns?|throws?|exception|deprecated|see|default|defaultValue|example|since|type|typedef|property|prop|arg' +
  '|yields?|link|todo|note|brief|media|import|include|extend|apply|use|layer|supports|keyframes|override|test'

/**
 * Commands that bots find anywhere in a text. Each pattern begins with the command's first word:
 * Jenkins ignores what is between words, so that only a character inside of a word breaks them.
 */
const phrases: readonly RegExp[] = [
  // homu, bors, Dependabot, Mergify, Renovate and assistants are called by a mention.
  new RegExp(String.raw`(?<![\w.])@(?:${bots})(?![\w-])`, 'gi'),
  new RegExp(
    String.raw`(?<![\w.])@(?!(?:${tags})\b)[\w-]{1,60}[,:]?[^\S\n]+(?:${verbs})(?![\w(.=])`,
    'gi',
  ),
  // Jenkins' ghprb plugin reads these, or what a project configures for it.
  /\bok\W+to\W+test\b/gi,
  /test\W+this\W+please\b|(?<=\bre-?)test\W+this\b|\bjenkins\b\W{1,5}(?:re)?test\b/gi,
  /\badd\W+(?:author\W+)?to\W+whitelist\b/gi,
  /\bskip\W+ci\b|\bci\W+skip\b/gi,
  // Merge gates count approvals in comments.
  /\blgtm\b/gi,
  // triagebot and highfive assign reviewers.
  /\br\?(?=\s+@?[\w/-])/gi,
  // Renovate finds its checkboxes in code too.
  /\[[ x]\](?=\s*<!--)/gi,
  // CLA assistant and bedevere read whole sentences.
  /\bI have read the CLA\b|\bI have made the requested changes\b/gi,
  // Cloud Build runs on this anywhere.
  /\/gcbrun\b/gi,
]

/** Commands that bots find only at the beginning of a line. */
const lineCommands: readonly RegExp[] = [
  // bors-ng is called by its name.
  String.raw`bors(?:-ng)?\b`,
  // Terraform is run by Atlantis, Digger and Terrateam.
  String.raw`(?:atlantis|digger|terrateam|run)[^\S\n]+(?:plan|apply|unlock|import|state|approve_policies|destroy)\b`,
  // Zuul runs its checks again.
  String.raw`(?:recheck|reverify|regate)\b|check[^\S\n]+experimental\b`,
  // Pipelines and other bots are called by a word.
  String.raw`(?:re-?)?run[^\S\n]+(?:ci|all|full|tests?|builds?|checks?|pipelines?|e2e|azure|\w+[^\S\n]+(?:pre|post)commit)\b`,
  String.raw`(?:please|jenkins|buildbot|bugbot|cursor|bot|ci|AzurePipelines|pre-commit\.ci)[,:]?[^\S\n]+(?:${verbs}|autofix)(?![\w(.=])`,
  // Votes are counted by merge bots.
  String.raw`(?:\+1|:\+1:|👍|:shipit:|ship[^\S\n]?it|sgtm|approved?|retest|rerun|rebuild|rebase!?)[^\S\n]*[.!]?[^\S\n]*$`,
].map((command) => new RegExp(`(${lineStart})(${command})`, 'gimu'))

/**
 * Puts a hidden character into each command to a bot, and into the first word of a shell command
 * that runs what it downloads, so that a copied one isn't found by the shell. Idempotent.
 */
export function breakCommands(text: string): string {
  let broken = text
    .replace(/^([^\S\n]*\/)(?=[a-z][\w-]*(?:\s|$))/gim, `$1${wordJoiner}`)
    .replace(/^([^\S\n]*@)(?=[\w/-]+[^\S\n]+[a-z])/gim, `$1${wordJoiner}`)
  for (const phrase of phrases) broken = broken.replace(phrase, breakWord)
  for (const pattern of lineCommands) {
    broken = broken.replace(
      pattern,
      (_, start: string, command: string) => start + breakWord(command),
    )
  }
  return breakDownloads(broken)
}

/** Bounds the work: our comments are too short for that many commands. */
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

/** Inserts the hidden character after the first one, so that bots no longer match the word. */
function breakWord(text: string): string {
  const [first = ''] = text
  return first + wordJoiner + text.slice(first.length)
}
