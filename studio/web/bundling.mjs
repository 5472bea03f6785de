// bundling.mjs - how the page and the player are put together alike.
export const settings = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  write: false,
  metafile: true,
  // three.js warns programmers; users of the page do not read that.
  pure: ['console.warn'],
}

/** What a minifier must leave alone: lines inside templates, which here are HTML and shaders. Neither minds how far a line
 *  is indented. */
export function flatten(js) {
  return js.replace(/\n[ \t]+/g, '\n')
}
