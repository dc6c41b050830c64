// What a GFM renderer makes of a comment: the HTML, and what in it is live.
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'

/** Raw HTML is let through, so that a test sees it. */
export function renderGfm(markdown: string): string {
  return micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  })
}

/** The text that a reader sees, without the hidden characters that break things up. */
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
 * Lists what would do something: images, links, HTML that isn't ours, headings that aren't, task lists, and, in the
 * text outside of code, mentions and references as a platform finds them there.
 */
export function listActiveContent(markdown: string): string[] {
  const html = renderGfm(markdown)
  // An information string makes diagrams, maps and changes to commit of code.
  const tags = html.replace(harmlessTags, '').match(/<[^>]*>?/g) ?? []
  const prose = html
    .replace(/<code[^>]*>[\s\S]*?<\/code>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:lt|gt|quot|amp);/g, ' ')
  const references = prose.match(/@\w\S*|#\d+|GH-\d+|\bhttps?:\/\/\S*|www\.\S*|\[!\w+\]/gi) ?? []
  return [...tags, ...references]
}
