// Renders untrusted Markdown without raw HTML or images, and with links that send no referrer.
import type { ComponentProps } from 'react'
import ReactMarkdown from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'

const schema = {
  ...defaultSchema,
  tagNames: defaultSchema.tagNames?.filter((name) => name !== 'img'),
}

/** Load it through LazyMarkdown, because the renderer is large. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[[rehypeSanitize, schema]]}
        components={{ a: Anchor }}
      >
        {text}
      </ReactMarkdown>
    </div>
  )
}

function Anchor({ href, children }: ComponentProps<'a'>) {
  return (
    <a href={href} target="_blank" rel="noreferrer nofollow">
      {children}
    </a>
  )
}
