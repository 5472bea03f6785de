// bundle.mjs - parts of the page as modules that node can load.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'

const src = join(dirname(fileURLToPath(import.meta.url)), '../src')

/** Several files of src at once, so that they share what they import: load('store', 'timeline/scale') */
export async function load(...files) {
  const contents = files.map((file) => `export * from './${file}'`).join('\n')
  const stdin = { contents, resolveDir: src, loader: 'ts' }
  const loader = { '.css': 'empty' }
  const built = await esbuild.build({ stdin, bundle: true, format: 'esm', write: false, loader })
  const text = Buffer.from(built.outputFiles[0].contents).toString('base64')
  return import(`data:text/javascript;base64,${text}`)
}
