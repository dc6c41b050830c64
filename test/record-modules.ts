// A preloaded module that records the URL of every module that the main thread loads.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const file = process.env.RECORD_MODULES

if (file !== undefined) {
  registerHooks({
    load(url, context, nextLoad) {
      appendFileSync(file, `${url}\n`)
      return nextLoad(url, context)
    },
  })
}
