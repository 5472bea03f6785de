// tiles.ts - how a view is divided so that each character has a small one of its own. No DOM here.

export interface Tiles {
  columns: number
  rows: number
}

/** In pixels from the lower left corner, as a graphics card counts. */
export interface Tile {
  x: number
  y: number
  width: number
  height: number
}

/** A person is higher than wide. */
const bestAspect = 0.8

/** As large as they can be. */
export function tilesFor(count: number, width: number, height: number): Tiles {
  let best: Tiles = { columns: 1, rows: Math.max(1, count) }
  let most = 0
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns)
    const size = Math.min(width / columns / bestAspect, height / rows)
    if (size > most) {
      most = size
      best = { columns, rows }
    }
  }
  return best
}

/** The first one is in the upper left corner. */
export function tileAt(index: number, { columns, rows }: Tiles, width: number, height: number): Tile {
  const column = index % columns
  const row = Math.floor(index / columns)
  const left = Math.round((column * width) / columns)
  const top = Math.round((row * height) / rows)
  const right = Math.round(((column + 1) * width) / columns)
  const bottom = Math.round(((row + 1) * height) / rows)
  return { x: left, y: height - bottom, width: right - left, height: bottom - top }
}
