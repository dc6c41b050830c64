// Renders comments as GFM and lists their active content.
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'

/** It keeps raw HTML, so that tests see it. */
export function renderGfm(markdown: string): string {
  return micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  })
}

/** Returns the visible text, without the hidden characters that break up mentions. */
export function readVisibleText(html: string): string {
  const text = html.replace(/<[^>]*>/g, '').replaceAll('\u2060', '')
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

const harmlessTags =
  /<\/?(?:p|strong|em|del|code|pre|ul|ol|li|blockquote|h3|table|thead|tbody|tr|t[hd]|details|summary|sub)>|<(?:br|hr) \/>|<ol start="\d+">/g

/**
 * Lists active content: images, links, foreign HTML, unintended headings and task lists, and
 * outside of code also mentions and references as platforms recognize them.
 */
export function listActiveContent(markdown: string): string[] {
  const html = renderGfm(markdown)
  // An info string turns code into diagrams, maps or suggestions.
  const tags = html.replace(harmlessTags, '').match(/<[^>]*>?/g) ?? []
  const prose = html
    .replace(/<code[^>]*>[\s\S]*?<\/code>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:lt|gt|quot|amp);/g, ' ')
  const references = prose.match(/@\w\S*|#\d+|GH-\d+|\bhttps?:\/\/\S*|www\.\S*|\[!\w+\]/gi) ?? []
  return [...tags, ...references]
}
