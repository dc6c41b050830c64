// Reads bugs that people planted in files, each with the code as it should be.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { decodeSample } from '../test/rule-samples.ts'

export interface PlantedBug {
  /** The name of its file in the folder of cases. */
  readonly group: string
  /** Its class of bugs and a name. */
  readonly id: string
  readonly path: string
  readonly buggy: Version
  readonly clean: Version
}

interface Version {
  readonly text: string
  /** The lines that the versions don't share: the first, and the one after the last. */
  readonly region: readonly [number, number]
}

/** Reads the cases of a folder; bench/README.md describes their format. */
export function readPlantedBugs(folder: string): PlantedBug[] {
  return globSync(`${folder}/*.txt`)
    .toSorted()
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split(/^#### /m)
        .slice(1)
        .map((text) => readCase(text, basename(file, '.txt'))),
    )
}

function readCase(text: string, group: string): PlantedBug {
  const parts = /^([^/\n]+)\/([^\n]+)\n(.*)^@@bug\n(.*)^@@fix\n(.*)^@@end\n(.*)$/ms.exec(text)
  if (parts === null) throw new Error(`A case of ${group} has another format: ${text.slice(0, 80)}`)
  const [, id, path, before, bug, fix, after] = parts as unknown as readonly string[]
  const versionWith = (code: string): Version => {
    const start = countLines(before!) + 1
    // The mark shows a reader where the bug is.
    const shown = code.replace(/ *!!$/m, '')
    const whole = decodeSample(before! + shown + after!).trimEnd()
    return { text: `${whole}\n`, region: [start, start + countLines(code)] }
  }
  return { group, id: id!, path: path!, buggy: versionWith(bug!), clean: versionWith(fix!) }
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}
