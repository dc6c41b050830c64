// Runs in the browser on the API documentation: its theme, and a header that leads to the page.
const root = document.documentElement
const systemTheme = window.matchMedia('(prefers-color-scheme: dark)')

/** The choice is stored by web/src/theme.ts. */
function applyTheme() {
  const choice = localStorage.getItem('umpire-theme')
  const isDark = choice === 'dark' || (choice !== 'light' && systemTheme.matches)
  root.classList.toggle('dark-mode', isDark)
}

applyTheme()
systemTheme.addEventListener('change', applyTheme)
window.addEventListener('storage', applyTheme)

// Swagger UI's page is as wide as on a desktop without it.
const viewport = document.createElement('meta')
viewport.name = 'viewport'
viewport.content = 'width=device-width, initial-scale=1'
document.head.append(viewport)

const header = document.createElement('header')
header.className = 'docs-header'
const link = document.createElement('a')
link.href = new URL('..', document.currentScript.src.replace(/\/static\/.*$/, '/')).href
link.textContent = 'Umpire'
const icon = document.querySelector('link[rel="icon"][type="image/svg+xml"]')
if (icon !== null) {
  const mark = document.createElement('img')
  mark.src = icon.href
  mark.alt = ''
  link.prepend(mark)
}
header.append(link)
document.body.prepend(header)
