// layout.mjs - what is wrong with how the page lies in its window: what can be pressed and is outside, under something else or
// too small for a finger; words that are cut off; letters too small to read.

/** Runs in the page. `root` is what lies on top (a dialog, a menu); everything else is behind it. */
function look({ root, smallest_px, finger_px }) {
  const found = []
  const top = document.querySelector(root)
  const nameOf = (each) => {
    const words = each.getAttribute('aria-label') || each.textContent.trim() || each.getAttribute('title') || each.name
    const kind = each.getAttribute('class')?.split(' ').slice(0, 2).join('.')
    return `${each.tagName.toLowerCase()}.${kind ?? ''} "${(words ?? '').replace(/\s+/g, ' ').slice(0, 40)}"`
  }
  const isSeen = (each) => {
    if (each.closest('.visually-hidden, [aria-hidden=true]')) return false
    if (!each.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true })) return false
    const { width, height } = each.getBoundingClientRect()
    // One pixel: for those who hear it.
    return width > 1 && height > 1
  }
  // Lists draw only what is in sight, so they are left where they were.
  const scrolled = [...document.querySelectorAll('*')].filter((each) => each.scrollHeight > each.clientHeight || each.scrollWidth > each.clientWidth)
  const places = scrolled.map((each) => [each, each.scrollLeft, each.scrollTop])
  const { scrollWidth, scrollHeight } = document.documentElement
  if (scrollWidth > innerWidth || scrollHeight > innerHeight) found.push('the page is larger than the window')

  // What can be pressed: its middle is in the window, and it is what lies there.
  const pressable = 'a[href], button, input, select, textarea, summary, [tabindex="0"], [role=slider], [role=option], [role=tab]'
  for (const each of top.querySelectorAll(pressable)) {
    if (!isSeen(each)) continue
    // An input can lie unseen under its label, which takes the press.
    const target = each.matches('input') && each.labels?.length ? each.labels[0] : each
    let box = target.getBoundingClientRect()
    const outside = () => box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1
    const middle = () => [box.left + box.width / 2, box.top + box.height / 2]
    const there = () => document.elementFromPoint(...middle())
    const hit = () => {
      const at = there()
      return at && (target.contains(at) || (at.contains(target) && !target.matches('button, input, select, a')) || at.labels === target.labels)
    }
    if (!hit() || outside()) {
      target.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
      box = target.getBoundingClientRect()
    }
    // A canvas or a list may be larger than what is seen of it, and a stretch of the timeline lie under its handles.
    if (each.closest('.tl-area') || each.matches('canvas, [role=application], [role=listbox], svg *')) continue
    const [x, y] = middle()
    if (outside()) found.push(`${nameOf(each)} is outside the window`)
    else if (!each.disabled && !hit()) found.push(`${nameOf(each)} is covered by ${there() ? nameOf(there()) : 'nothing'}`)
    if (finger_px && each.matches('button, select, [role=slider], [role=separator]')) {
      const size = Math.min(box.width, box.height)
      if (size < finger_px) found.push(`${nameOf(each)} is only ${size.toFixed(0)} px for a finger`)
    }
  }

  // Words: whole, or with dots and a title, and large enough.
  const words = document.createTreeWalker(top, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const each = node.parentElement
    if (!node.data.trim() || !isSeen(each) || each.closest('option, script, style')) continue
    range.selectNodeContents(node)
    let box = range.getBoundingClientRect()
    if (box.width === 0) continue
    const size = each instanceof SVGElement ? box.height / 1.2 : parseFloat(getComputedStyle(each).fontSize)
    if (size < smallest_px) found.push(`"${node.data.trim().slice(0, 30)}" is only ${size.toFixed(1)} px high`)
    if (each instanceof SVGElement) continue
    for (let around = each; around && around !== document.body; around = around.parentElement) {
      const style = getComputedStyle(around)
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) break
      const cuts = style.overflowX !== 'visible' || around.matches('button')
      const edge = around.getBoundingClientRect()
      const cut = box.right > edge.right + 2 || box.left < edge.left - 2 || box.bottom > edge.bottom + 4 || box.top < edge.top - 4
      if (!cuts || !cut) continue
      const dotted = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || style.maskImage !== 'none'
      const told = around.closest('[title], [aria-label]')
      if (!dotted) found.push(`"${node.data.trim().slice(0, 40)}" is cut off by ${nameOf(around)}`)
      else if (!told) found.push(`"${node.data.trim().slice(0, 40)}" is cut off without a title`)
      if (!dotted || !told) break
      box = edge // its dots are to be seen, too
    }
  }
  // A menu cuts what is chosen without dots.
  const pen = document.createElement('canvas').getContext('2d')
  for (const each of top.querySelectorAll('select')) {
    if (!isSeen(each)) continue
    const style = getComputedStyle(each)
    pen.font = style.font
    const width = pen.measureText(each.selectedOptions[0]?.text ?? '').width
    const room = each.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
    if (width > room + 4 && !each.closest('[title]')) found.push(`menu ${nameOf(each)} cuts "${each.selectedOptions[0]?.text}"`)
  }
  for (const [each, left, top] of places) each.scrollTo({ left, top, behavior: 'instant' })
  return [...new Set(found)]
}

export function layout(page, { root = 'body', smallest_px = 10.5, finger_px = 0 } = {}) {
  return page.evaluate(look, { root, smallest_px, finger_px })
}
