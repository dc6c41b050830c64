// Reads the theme of the API documentation, with the font and the icon of the built page.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const readFile = (name: string) =>
  readFileSync(new URL(`./docs-theme/${name}`, import.meta.url), 'utf8')

/**
 * The options of Swagger UI that describe its look.
 *
 * @param pageFolder folder of the built page; without it, the system's font is used
 * @param basePath path of the service, with a slash at its end
 */
export function readDocsTheme(pageFolder: string, basePath: string) {
  const assets = listAssets(pageFolder)
  const font = assets.find((name) => /^inter-.*\.woff2$/.test(name))
  const icon = assets.find((name) => /^icon-.*\.svg$/.test(name))
  const fontFace =
    font === undefined
      ? ''
      : `@font-face { font-family: "Inter"; font-weight: 100 900; font-display: swap;
  src: url("${basePath}assets/${font}") format("woff2"); }\n`
  return {
    title: 'Umpire: API',
    css: [{ filename: 'theme.css', content: fontFace + readFile('theme.css') }],
    js: [{ filename: 'theme.js', content: readFile('theme.js') }],
    ...(icon !== undefined && {
      favicon: [
        {
          filename: 'icon.svg',
          rel: 'icon',
          type: 'image/svg+xml',
          sizes: 'any',
          content: readFileSync(join(pageFolder, 'assets', icon)),
        },
      ],
    }),
  }
}

function listAssets(pageFolder: string): string[] {
  try {
    return readdirSync(join(pageFolder, 'assets'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return []
  }
}
