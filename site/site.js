// site.js - the search field. Nothing else on the site needs a script. The index is loaded when the field is first entered, as a
// script, since pages that are opened as files may not fetch anything.
(() => {
  const form = document.querySelector('.search')
  const field = form.querySelector('input')
  const list = form.querySelector('.found')
  const up = document.body.dataset.up
  const MOST = 20

  function load() {
    if (load.begun) return
    load.begun = true
    const script = document.createElement('script')
    script.src = `${up}search-index.js`
    script.onload = show
    document.head.append(script)
  }

  /** A part of a page counts for every word: its page's name, its heading, then its text; all words must be there, and count
   *  for more where they stand together. */
  function rank([, page, heading, text], words) {
    const together = words.join(' ')
    let sum = words.length > 1 && `${page} ${heading} ${text}`.toLowerCase().includes(together) ? 10 : 0
    for (const word of words) {
      const at = [heading, page, text].map((each) => each.toLowerCase().indexOf(word))
      if (at.every((each) => each < 0)) return 0
      const starts = at.map((each, i) => each >= 0 && !/[\p{L}\p{N}]/u.test([heading, page, text][i][each - 1] ?? ' '))
      sum += (at[0] >= 0 ? 12 : 0) + (at[1] >= 0 ? 8 : 0) + (at[2] >= 0 ? 2 : 0) + starts.filter(Boolean).length * 3
      if (heading.toLowerCase() === word || page.toLowerCase() === word) sum += 20
    }
    return sum
  }

  function around(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word))
    const from = Math.max(0, at - 50)
    return (from ? '… ' : '') + text.slice(from, at + 110) + (text.length > at + 110 ? ' …' : '')
  }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    const index = window.mareyIndex
    list.hidden = !words.length || !index
    if (list.hidden) return
    const found = index
      .map((part) => [rank(part, words), part])
      .filter(([sum]) => sum > 0)
      .sort((a, b) => b[0] - a[0])
      .slice(0, MOST)
    list.replaceChildren(
      ...found.map(([, [address, page, heading, text]]) => {
        const link = document.createElement('a')
        link.href = up + address
        const small = document.createElement('small')
        small.textContent = around(text, words[0])
        link.append(heading === page ? page : `${page}: ${heading}`, small)
        return link
      }),
    )
    if (!found.length) {
      const nothing = document.createElement('p')
      nothing.textContent = 'Nothing has all of these words.'
      list.append(nothing)
    }
  }

  field.addEventListener('focus', load)
  field.addEventListener('input', show)
  form.addEventListener('submit', (event) => {
    const first = list.querySelector('a')
    if (first) {
      event.preventDefault()
      location.href = first.href
    }
  })
  form.addEventListener('keydown', (event) => {
    const links = [field, ...list.querySelectorAll('a')]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      links[Math.max(0, Math.min(links.length - 1, links.indexOf(document.activeElement) + step))].focus()
    } else if (event.key === 'Escape') {
      list.hidden = true
      field.focus()
    }
  })
  document.addEventListener('click', (event) => {
    if (!form.contains(event.target)) list.hidden = true
  })
  if (document.activeElement === field) load()
})()
