// A finding's claim: one line of text, with what stands between backticks as code.
export function FindingTitle({ text }: { text: string }) {
  const parts = text.split('`')
  // One backtick alone is no pair.
  const isPaired = parts.length % 2 === 1
  return (
    <bdi>
      {isPaired
        ? // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes its parts
          parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
        : text}
    </bdi>
  )
}
