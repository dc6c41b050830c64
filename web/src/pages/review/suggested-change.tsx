// A suggestion as a diff: the lines that it removes, and those that replace them.

interface SuggestedChangeProps {
  /** The present lines; null if they are unknown. */
  readonly lines: readonly string[] | null
  /** Empty to delete the lines. */
  readonly suggestion: string
}

export function SuggestedChange({ lines, suggestion }: SuggestedChangeProps) {
  const added = suggestion === '' ? [] : suggestion.split('\n')
  return (
    <figure>
      <figcaption className="mb-0.5 font-medium text-muted text-xs">Suggestion</figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
        tabIndex={0}
        className="suggestion"
      >
        {(lines ?? []).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines keep their order
          <del key={index}>{line}</del>
        ))}
        {added.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines keep their order
          <ins key={index}>{line}</ins>
        ))}
        {lines === null && suggestion === '' && <del>(delete these lines)</del>}
      </pre>
    </figure>
  )
}
