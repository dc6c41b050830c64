// A line of text, with backticked parts shown as code.
export function TextWithCode({ text }: { text: string }) {
  const parts = text.split('`')
  // An even number of parts means that one backtick is unpaired.
  const isPaired = parts.length % 2 === 1
  return (
    <bdi>
      {isPaired
        ? // biome-ignore lint/suspicious/noArrayIndexKey: the order of the parts is fixed
          parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
        : text}
    </bdi>
  )
}
