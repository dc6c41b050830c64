// Reads metrics as Prometheus does: over HTTP, with a third-party parser.
import parse from 'parse-prometheus-text-format'

type Labels = Readonly<Record<string, string>>

export interface Scrape {
  readonly text: string
  /** The types by metric name. */
  readonly types: Readonly<Record<string, string>>
  /** The label sets of a metric's series, without `le`. */
  labelsOf(name: string): readonly Labels[]
  /**
   * The value of one series, named as in PromQL: `…_count` of a histogram. Undefined if missing.
   */
  value(name: string, labels?: Labels): number | undefined
}

export async function scrape(url: string | null): Promise<Scrape> {
  const response = await fetch(url ?? '')
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  const types = Object.fromEntries(parse(text).map(({ name, type }) => [name, type.toLowerCase()]))
  // With types, the parser merges all histograms of a name, whatever their labels.
  const parts = Map.groupBy(parse(text.replaceAll(/^#.*\n/gm, '')), ({ name }) => name)
  const samplesOf = (name: string) => parts.get(name)?.flatMap(({ metrics }) => metrics) ?? []
  return {
    text,
    types,
    labelsOf: (name) =>
      ['', '_count']
        .flatMap((suffix) => samplesOf(name + suffix))
        .map(({ labels }) => labels ?? {}),
    value(name, labels = {}) {
      const sample = samplesOf(name).find((one) => write(one.labels ?? {}) === write(labels))
      return sample === undefined ? undefined : Number(sample.value)
    },
  }
}

/** Scrapes until `isThere` holds: a stored review is counted a moment later. */
export async function scrapeUntil(
  url: string | null,
  isThere: (shown: Scrape) => boolean,
): Promise<Scrape> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const shown = await scrape(url)
    if (isThere(shown)) return shown
    if (performance.now() > deadline)
      throw new Error(`Waited in vain for other metrics than\n${shown.text}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function write(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort())
}
