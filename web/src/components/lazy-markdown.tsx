// Loads the Markdown renderer on demand, and shows the source text until then.
import { lazy, Suspense } from 'react'

const Markdown = lazy(() =>
  import('./markdown.tsx').then(
    (part) => ({ default: part.Markdown }),
    // Without the renderer, the source is readable, too.
    () => ({ default: SourceText }),
  ),
)

export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<SourceText text={text} />}>
      <Markdown text={text} />
    </Suspense>
  )
}

function SourceText({ text }: { text: string }) {
  return <div className="whitespace-pre-wrap">{text}</div>
}
