// Writes the generated parts of the documents. With `--check`, it fails if one is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { renderCommands } from './docs/commands.ts'
import { configurationParts } from './docs/configuration.ts'
import { renderDefinitions } from './docs/insights.ts'
import { renderSettings } from './docs/repository-settings.ts'
import { renderRules } from './docs/rules.ts'

/** The text between `<!-- begin generated: name -->` and `<!-- end generated -->`. */
interface GeneratedPart {
  readonly path: string
  readonly name: string
  /** Returns Markdown without a final line end. */
  render(): string
}

const parts: readonly GeneratedPart[] = [
  ...configurationParts,
  { path: 'docs/commands.md', name: 'commands', render: renderCommands },
  { path: 'docs/insights.md', name: 'definitions', render: renderDefinitions },
  { path: 'docs/repository-settings.md', name: 'settings', render: renderSettings },
  { path: 'docs/rules.md', name: 'rules', render: renderRules },
]

/** Replaces one generated part of a document. Throws if the document lacks its markers. */
export function replacePart(document: string, name: string, content: string): string {
  const begin = `<!-- begin generated: ${name} -->\n`
  const end = '\n<!-- end generated -->'
  const start = document.indexOf(begin)
  const stop = document.indexOf(end, start)
  if (start === -1 || stop === -1) {
    throw new Error(`The markers of the part "${name}" are missing. Add \`${begin.trim()}\`.`)
  }
  const before = document.slice(0, start + begin.length)
  return `${before}\n${content}\n${document.slice(stop)}`
}

function main(): void {
  for (const path of new Set(parts.map((part) => part.path))) {
    const url = new URL(`../${path}`, import.meta.url)
    const document = readFileSync(url, 'utf8')
    const updated = parts
      .filter((part) => part.path === path)
      .reduce((text, { name, render }) => replacePart(text, name, render()), document)
    if (updated === document) continue
    if (process.argv.includes('--check')) {
      console.error(`${path} is out of date: run \`npm run docs\``)
      process.exitCode = 1
    } else writeFileSync(url, updated)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
