// Type declarations for a package without types. Histograms have only the fields that we read.
declare module 'parse-prometheus-text-format' {
  interface Family {
    readonly name: string
    readonly type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM' | 'SUMMARY' | 'UNTYPED'
    readonly metrics: readonly {
      readonly labels?: Readonly<Record<string, string>>
      readonly value: string
    }[]
  }
  /** Throws if a line isn't in the text format. */
  export default function parse(text: string): readonly Family[]
}
