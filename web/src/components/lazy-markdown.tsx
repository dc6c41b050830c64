// Loads the Markdown renderer on demand, and shows the source text until then.
import { lazy, Suspense } from 'react'

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }))

export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<div className="whitespace-pre-wrap">{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  )
}
