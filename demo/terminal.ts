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

/** Prints the findings that the summary lists, one per line. */
export function printFindings({ comments }: PullRequestView): void {
  const summary = comments.find(({ body }) => body.includes('<!-- umpire:review'))
  const items = summary?.body.match(/^- (?:🔴|🟡|🔵).*$/gmu) ?? []
  for (const item of items) printDetail(formatItem(item))
}

/** Removes links, emphasis and hidden characters of Markdown. */
function formatItem(item: string): string {
  return item.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\*\*|\u2060/g, '')
}
