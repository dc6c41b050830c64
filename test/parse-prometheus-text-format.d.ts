// The package brings no types. Of histograms only what is read without their types is described.
declare module 'parse-prometheus-text-format' {
  interface Family {
    readonly name: string
    readonly type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM' | 'SUMMARY' | 'UNTYPED'
    readonly metrics: readonly {
      readonly labels?: Readonly<Record<string, string>>
      readonly value: string
    }[]
  }
  /** Throws where a line isn't in the text format. */
  export default function parse(text: string): readonly Family[]
}
