// Terminal output of the demo.
import { styleText } from 'node:util'
import type { PullRequestView } from '../test/fakes/forge/forge.ts'

type Style = Parameters<typeof styleText>[0]

const paint = (style: Style, text: string) => styleText(style, text, { stream: process.stdout })

/** Creates a function that prints numbered steps. */
export function createStepPrinter(): (text: string) => void {
  let number = 0
  return (text) => {
    number += 1
    console.log(`${paint(['bold', 'cyan'], `${number}.`)} ${text}`)
  }
}

export function printDetail(text: string): void {
  console.log(paint('dim', `   ${text}`))
}

/** Prints the review of a pull request: the summary, then each comment with its line of code. */
export function printReview(view: PullRequestView, files: Readonly<Record<string, string>>): void {
  const summary = view.comments.find((comment) => comment.body.includes('<!-- umpire:review'))
  console.log(`\n${horizontalRule(`Pull request #${view.number}: ${view.title}`)}`)
  console.log(formatMarkdown(summary?.body ?? '(no summary)'))
  for (const comment of view.inlineComments.filter(({ inReplyTo }) => inReplyTo === null)) {
    const line = comment.line ?? comment.originalLine
    console.log(`\n${horizontalRule(`${comment.path}:${line}`)}`)
    const code = files[comment.path]?.split('\n')[line - 1]
    if (code !== undefined) console.log(paint('green', `+ ${code}`))
    console.log(formatMarkdown(comment.body))
  }
  console.log(horizontalRule(''))
}

function horizontalRule(title: string): string {
  const width = 78
  return title === ''
    ? paint('dim', '─'.repeat(width))
    : paint('bold', `── ${title} ${'─'.repeat(Math.max(2, width - title.length - 4))}`)
}

/** Removes hidden markers and HTML tags, and prints bold text in bold. */
function formatMarkdown(markdown: string): string {
  return markdown
    .replace(/<!--.*?-->/gs, '')
    .replace(/<summary><strong>(.*?)<\/strong><\/summary>/g, '▸ $1')
    .replace(/<\/?(details|sub)>/g, '')
    .replace(/\u2060/g, '')
    .replace(/\*\*(.*?)\*\*/g, (_all, text: string) => paint('bold', text))
    .replace(/^### (.*)$/gm, (_all, text: string) => paint('bold', text))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
